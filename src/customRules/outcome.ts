import type { LimitKind, Outcome, Value } from '../sandbox/types.ts';
import { CustomRuleError, type CustomRuleLocation } from './customRuleError.ts';

const LIMIT_TEXTS: Readonly<Record<LimitKind, (fuel: number) => string>> = {
  fuel: (fuel) => `took more than ${fuel.toLocaleString('en')} steps for a batch`,
  time: () => 'took more than a minute for a batch',
  memory: () => 'needs more memory than there is',
  stack: () => 'calls itself too deeply',
  source: () => 'is too long',
  result: () => 'returned more than a batch can hold',
};

/**
 * Returns the value of an outcome.
 * @throws {CustomRuleError} for an outcome without a value
 */
export function returnedBy(outcome: Outcome, position: CustomRuleLocation, fuel: number): Value {
  switch (outcome.kind) {
    case 'value':
      return outcome.value;
    case 'error':
      throw new CustomRuleError(position, `${outcome.error.type}: ${outcome.error.message}`);
    case 'limit':
      throw new CustomRuleError(position, LIMIT_TEXTS[outcome.limit](fuel));
    case 'violation':
      throw new CustomRuleError(position, `tried to leave the sandbox (${outcome.reason})`);
  }
}

/** Returns the failure that a program in the sandbox reports, or undefined if it reports no failure. */
export function failureOf(
  fields: ReadonlyMap<string, Value>,
  file: string,
  { line, group }: { readonly line?: number | undefined; readonly group?: string | undefined } = {},
): CustomRuleError | undefined {
  const problem = fields.get('problem');
  if (typeof problem !== 'string') return undefined;
  const position = { file, line: integerOf(fields.get('line')) ?? line, group, turn: integerOf(fields.get('turn')) };
  return new CustomRuleError(position, problem.slice(0, 400));
}

/** Returns an integer of the driver, such as a line or a turn; undefined for any other value. */
export function integerOf(value: Value | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
