import type { AnswerCheck } from '../../../lessons/results/courseResult.ts';
import { sheetStrings } from '../../strings/sheetStrings.ts';
import { checkAnswer } from '../exercises/task.ts';
import type { RewardQuestion, SheetQuestion } from './sheet.ts';

/** Result of an answer. */
export interface Answered {
  readonly check: AnswerCheck;
  /** Description of the answer, for people: the written text, the marked options, the amounts. */
  readonly given: string;
  /** For people. */
  readonly text: string;
  /** Consequences of the answer, a line each. */
  readonly reports: readonly string[];
}

/** Holds what a reader gave against a question. @param given fields of its form: `answer`, `picked`, or a name of an amount */
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
