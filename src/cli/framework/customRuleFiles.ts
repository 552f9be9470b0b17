import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { encodeCustomRule, MAX_SOURCE_LENGTH } from '../../credit/rules/custom/customRule.ts';
import { CustomRules } from '../../customRules/customRules.ts';
import type { CustomRuleDescription } from '../../customRules/results.ts';
import { type ParameterValue, parseParameters } from '../../parameters/parameters.ts';
import type { RunTables } from '../../training/data/configurationTables.ts';
import { UsageError } from './errors.ts';
import { textOf } from './inputs.ts';
import { nodeRuleLibrary } from './node.ts';

/** Parameter values of the command line by name, before their check. */
export type InputValues = Readonly<Record<string, ParameterValue>>;

/** Returns true if a rule of the command line is a file: `./my_rule.py`. */
export function isRuleFile(rule: unknown): rule is string {
  return typeof rule === 'string' && rule.endsWith('.py');
}

/** Returns true if the arguments name a file as a rule. */
export function namesRuleFile(args: readonly string[]): boolean {
  return args.some((arg) => /\.py([:,\s]|$)/.test(arg));
}

/** Returns tables that accept files as rules: `--rule ./my_rule.py`, and `--set` with the parameters of that rule. */
export function withRuleFiles(tables: RunTables): RunTables {
  const { rule } = tables;
  const open = { ...rule, accepts: (text: string) => isRuleFile(text) || rule.accepts?.(text) === true };
  return { ...tables, rule: open, controls: tables.controls.map((control) => (control === rule ? open : control)) };
}

/** Rule of the command line with its given values. */
export interface RequestedRule {
  /** Name of the rule, or path of its file. */
  readonly rule: string;
  readonly given: InputValues;
}

/** Result of reading a rule: its name, and the given values that are not its parameters. */
export interface ResolvedRule {
  readonly rule: string;
  readonly rest: InputValues;
}

/**
 * Reads rule files and their parameters. Each given value that is a parameter of the rule becomes part of the rule's
 * name.
 * @param open sandbox that reads the parameters; if absent, a new sandbox
 * @throws {UsageError} for a file that cannot be read
 * @throws {CustomRuleError} for a file that is not a rule
 * @throws {ParameterError} for a value that the rule does not allow
 */
export async function findRules(
  requests: readonly RequestedRule[],
  open?: CustomRules,
): Promise<readonly ResolvedRule[]> {
  if (!requests.some(({ rule }) => isRuleFile(rule))) return requests.map(({ rule, given }) => ({ rule, rest: given }));
  if (open) return Promise.all(requests.map((request) => resolveRule(open, request)));
  return withCustomRules((rules) => Promise.all(requests.map((request) => resolveRule(rules, request))));
}

/**
 * Reads the rules of a command line. A file can have values of its parameters after colons: `./my_rule.py:alpha=0.5`.
 * @param where flag or operand with the rules, for messages
 * @returns names of the rules
 * @throws {UsageError} for a name that is not a rule with values
 * @throws the errors of `findRules`
 */
export async function readRules(
  names: readonly string[],
  where: string,
  open?: CustomRules,
): Promise<readonly string[]> {
  const requests = names.map((name) => {
    const [rule, ...parts] = name.split(':');
    const given = parts.map((part) => {
      const match = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(part);
      if (!match) throw new UsageError(`${where}: "${part}" of ${name} is not NAME=VALUE`);
      return [match[1], match[2]] as const;
    });
    return { rule, given: Object.fromEntries(given) };
  });
  const matches = await findRules(requests, open);
  return matches.map(({ rule, rest }, index) => {
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) throw new UsageError(`${where}: ${requests[index].rule} has no parameter "${unknown}"`);
    return rule;
  });
}

/** Opens a sandbox for custom rules, calls `act`, and closes the sandbox. */
export async function withCustomRules<Result>(act: (rules: CustomRules) => Promise<Result>): Promise<Result> {
  const sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
  try {
    return await act(new CustomRules({ sandbox: () => sandbox, library: nodeRuleLibrary }));
  } finally {
    sandbox.close();
  }
}

async function resolveRule(rules: CustomRules, { rule: path, given }: RequestedRule): Promise<ResolvedRule> {
  if (!isRuleFile(path)) return { rule: path, rest: given };
  const source = textOf(path, path);
  if (source.length > MAX_SOURCE_LENGTH) {
    throw new UsageError(`${path} has ${source.length} characters; a rule may have at most ${MAX_SOURCE_LENGTH}`);
  }
  const customRule = { file: path, source };
  const { ruleValues: values, rest } = split(await rules.describe(customRule), given);
  return { rule: encodeCustomRule({ ...customRule, values }), rest };
}

function split(
  { parameters }: CustomRuleDescription,
  given: InputValues,
): { ruleValues: InputValues; rest: InputValues } {
  const names = parameters.map(({ name }) => name);
  const part = (mine: boolean) =>
    Object.fromEntries(Object.entries(given).filter(([key]) => names.includes(key) === mine));
  return { ruleValues: parseParameters(parameters, part(true)), rest: part(false) };
}
