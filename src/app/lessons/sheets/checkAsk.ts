import { sheetStrings } from '../../strings/sheetStrings.ts';
import { checkAnswer } from '../exercises/task.ts';
import type { Ask, PayAsk } from './sheet.ts';

/** What became of an answer. */
export interface Answered {
  readonly right: boolean;
  /** For people. */
  readonly text: string;
  /** What the answer leads to, a line each. */
  readonly told: readonly string[];
}

/** Holds what a reader gave against a question. @param given fields of its form: `answer`, `picked`, or a name of an amount */
export function checkAsk(ask: Ask, given: FormData): Answered {
  switch (ask.kind) {
    case 'number': {
      const check = checkAnswer(String(given.get('answer') ?? ''), { answer: ask.answer });
      return { right: check === 'right' || check === 'near', text: sheetStrings[check], told: [] };
    }
    case 'pick': {
      const picked = new Set(given.getAll('picked').map(Number));
      const wrong = ask.options.filter(({ right }, option) => picked.has(option) !== right).length;
      return { right: wrong === 0, text: wrong === 0 ? sheetStrings.right : sheetStrings.picked(wrong), told: [] };
    }
    case 'pay':
      return checkPay(ask, given);
  }
}

function checkPay({ table, check }: PayAsk, given: FormData): Answered {
  const values: Record<string, number> = {};
  for (const parameter of table) {
    if (parameter.kind !== 'number') continue;
    const { name, label, min, max } = parameter;
    const text = String(given.get(name) ?? '').trim();
    const value = text === '' ? Number.NaN : Number(text.replace('−', '-').replace(',', '.'));
    if (!(value >= min && value <= max)) return { right: false, text: sheetStrings.range(label, min, max), told: [] };
    values[name] = value;
  }
  const { met, told } = check(values);
  return { right: met, text: met ? sheetStrings.met : sheetStrings.unmet, told };
}
