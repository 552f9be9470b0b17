import type { AnswerCheck } from '../../../lessons/results/courseResult.ts';
import { sheetStrings } from '../../strings/sheetStrings.ts';
import { checkAnswer } from '../exercises/task.ts';
import type { RewardQuestion, SheetQuestion } from './sheet.ts';

/** Checked answer to a question of a sheet. */
export interface Answered {
  readonly check: AnswerCheck;
  /** Answer of the user as text: the entered number, the marked options or the amounts. */
  readonly given: string;
  /** Message about the result of the check. */
  readonly text: string;
  /** [lines] consequences of the answer. */
  readonly reports: readonly string[];
}

/**
 * Checks the answer of the user to a question.
 * @param given fields of the form: `answer` for a number, `picked` for options, or the names of the amounts
 */
export function checkSheetAnswer(question: SheetQuestion, given: FormData): Answered {
  switch (question.kind) {
    case 'number': {
      const text = String(given.get('answer') ?? '').trim();
      const check = checkAnswer(text, { answer: question.answer });
      return { check, given: text, text: sheetStrings[check], reports: [] };
    }
    case 'pick': {
      const picked = new Set(given.getAll('picked').map(Number));
      const wrong = question.options.filter(({ right }, option) => picked.has(option) !== right).length;
      const marked = question.options.flatMap(({ label }, option) => (picked.has(option) ? [label] : [])).join(', ');
      const text = wrong === 0 ? sheetStrings.right : sheetStrings.picked(wrong);
      return { check: wrong === 0 ? 'right' : 'wrong', given: marked, text, reports: [] };
    }
    case 'pay':
      return checkPay(question, given);
  }
}

function checkPay({ table, check }: RewardQuestion, given: FormData): Answered {
  const values: Record<string, number> = {};
  const amounts = table.map(({ name, label }) => `${label} ${String(given.get(name) ?? '').trim()}`).join(', ');
  for (const parameter of table) {
    if (parameter.kind !== 'number') continue;
    const { name, label, min, max } = parameter;
    const text = String(given.get(name) ?? '').trim();
    const value = text === '' ? Number.NaN : Number(text.replace('−', '-').replace(',', '.'));
    if (!(value >= min && value <= max)) {
      return { check: 'empty', given: amounts, text: sheetStrings.range(label, min, max), reports: [] };
    }
    values[name] = value;
  }
  const { met, reports } = check(values);
  return { check: met ? 'right' : 'wrong', given: amounts, text: met ? sheetStrings.met : sheetStrings.unmet, reports };
}
