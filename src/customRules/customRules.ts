import { CreditError } from '../credit/creditError.ts';
import {
  type CustomRuleResult,
  declaredFields,
  resultOf,
  saveResult,
  storeDerivation,
  wrongConstant,
} from '../credit/rules/custom/customRule.ts';
import { type CustomRuleSource, decodeCustomRule } from '../credit/rules/custom/customSource.ts';
import { withTotals } from '../credit/totals.ts';
import { defaults, parseParameters } from '../parameters/parameters.ts';
import { type Group, TURN_FIELDS, type Turn } from '../rollouts/forest.ts';
import type { LimitKind, Limits, Outcome, Program, Value } from '../sandbox/types.ts';
import { CustomRuleError } from './customRuleError.ts';
import { type CustomRuleDescription, fieldsOf, readDescription } from './describe.ts';
import { type Question, ruleProgram } from './driver.ts';
import { ResultError, readResult } from './readResult.ts';

/** A rule's file name and its text. */
type RuleFile = Pick<CustomRuleSource, 'file' | 'source'>;

/** Part of a sandbox that computes rules. */
export interface RuleSandbox {
  /** [programs][inputs] */
  execute(programs: readonly Program[]): Promise<readonly (readonly Outcome[])[]>;
}

/** Host in which custom rules are computed. */
export interface CustomRulesHost {
  /**
   * Opens the sandbox when it is first needed.
   * @throws {Error} if no sandbox is available
   */
  sandbox(): RuleSandbox;
  /** The text of the package's core.py: what rules import from `turnwise_rl`. */
  library(): Promise<string>;
}

/** Steps of a batch. */
export const FUEL = 50_000_000;
/** `result`: elements of a batch, a few named values a turn. */
export const LIMITS: Partial<Limits> = {
  ...{ time: 60_000, memory: 256 * 2 ** 20, output: 1_000, source: 200_000, result: 4_000_000 },
};
/** Limits of the explanation that a rule may give of a turn: lines, and characters of each line. */
const MAX_LINES = 50;
const LONGEST_LINE = 500;
/** Number of batches of a rule in which some groups are computed twice, and number of these groups in each batch. */
const CHECKED_BATCHES = 3;
const CHECKED_GROUPS = 8;

const FIELDS = [...TURN_FIELDS, 'validates'] as const;

/** Custom rules in a sandbox: the descriptions in their files, and their results for groups. */
export class CustomRules {
  private readonly described = new Map<string, Promise<CustomRuleDescription>>();
  private readonly batches = new Map<string, number>();

  /** @param fuel steps that a batch may take */
  constructor(
    private readonly host: CustomRulesHost,
    private readonly fuel = FUEL,
  ) {}

  /**
   * Returns the description of a rule in its file.
   * @throws {CustomRuleError} for a file that is not a rule
   */
  describe({ file, source }: RuleFile): Promise<CustomRuleDescription> {
    return this.cache({ file, source }, () => this.describeNow({ file, source }));
  }

  private cache(
    { file, source }: RuleFile,
    describe: () => Promise<CustomRuleDescription>,
  ): Promise<CustomRuleDescription> {
    const key = `${file}\n${source}`;
    let known = this.described.get(key);
    if (!known) {
      known = describe();
      // The file changes while a user types: only descriptions that are requested repeatedly stay in the cache.
      if (this.described.size >= CHECKED_GROUPS) this.described.clear();
      this.described.set(key, known);
      known.catch(() => this.described.delete(key));
    }
    return known;
  }

  private async describeNow({ file, source }: RuleFile): Promise<CustomRuleDescription> {
    const outcome = await this.callRule({ file, source }, 'described', []);
    return readHead(returnedBy(outcome, { file }, this.fuel), file);
  }

  /**
   * Computes a rule over groups, all in one call of the sandbox. From then on the rule of this name has their credit.
   * Groups that are known already are not computed again.
   * @param name from encodeCustomRule
   * @param unit 'turn' if a turn must have one number
   * @throws {CustomRuleError} for every error of the rule
   * @throws {CreditError} for a group that it cannot read
   * @throws {ParameterError} for a value that it does not allow
   */
  async work(name: string, groups: readonly Group[], unit?: 'turn'): Promise<void> {
    const customRule = decodeCustomRule(name);
    const missing = groups.filter((group) => !findResult(name, group));
    if (missing.length === 0) return;
    const given = await this.valuesOf(customRule);
    const batch = this.batches.get(name) ?? 0;
    this.batches.set(name, batch + 1);
    const again = batch < CHECKED_BATCHES ? CHECKED_GROUPS : 0;
    const inputs = [...inputsOf(customRule, given, missing), again];
    const value = returnedBy(await this.callRule(customRule, 'credits', inputs), { file: customRule.file }, this.fuel);
    const [head, ...lists] = partsOf(value, customRule.file);
    const { line } = await this.known(customRule, head);
    const position = { file: customRule.file, line };
    const [results, repeated] = lists.map((list, listIndex) => {
      const requested = listIndex === 0 ? missing : missing.slice(0, again).reverse();
      return list.map((item, index) => readGroupResult(item, requested[index], position));
    });
    checkRepeated(missing, results, repeated, position);
    if (results.length < missing.length)
      throw new CustomRuleError(position, 'its sandbox answered for some of the groups only');
    if (unit === 'turn') refuseLists(missing, results, position);
    missing.forEach((group, index) => {
      saveResult(name, group, results[index]);
    });
  }

  /**
   * Requests from a rule the explanation of the advantages of a group. From then on the rule of this name reports the
   * explanation, turn by turn. A file without a function `worked` reports nothing.
   * @param name from encodeCustomRule
   * @throws {CustomRuleError} if the whole group has no result
   */
  async explain(name: string, group: Group): Promise<void> {
    const customRule = decodeCustomRule(name);
    if (!(await this.describe(customRule)).explains) return;
    const inputs = inputsOf(customRule, await this.valuesOf(customRule), [group]);
    const value = returnedBy(
      await this.callRule(customRule, 'explained', inputs),
      { file: customRule.file },
      this.fuel,
    );
    storeDerivation(name, group, readDerivation(value, customRule.file, group));
  }

  /** The values that are not the defaults, as the driver takes them; a file without such is not asked for its parameters. */
  private async valuesOf(customRule: CustomRuleSource): Promise<Readonly<Record<string, string>>> {
    if (Object.keys(customRule.values).length === 0) return {};
    const { parameters } = await this.describe(customRule);
    const values = { ...defaults(parameters), ...parseParameters(parameters, customRule.values) };
    return Object.fromEntries(Object.keys(customRule.values).map((key) => [key, String(values[key])]));
  }

  /**
   * Returns the description in a file, which came with its credit.
   * @throws {CustomRuleError} for a file that is not a rule
   */
  private known(customRule: CustomRuleSource, head: Value): Promise<CustomRuleDescription> {
    return this.cache(customRule, async () => readHead(head, customRule.file));
  }

  private async callRule({ file, source }: RuleFile, question: Question, given: readonly Value[]): Promise<Outcome> {
    const wrong = wrongConstant(source);
    if (wrong) throw new CustomRuleError({ file, line: wrong.line }, wrong.problem);
    const program = {
      program: ruleProgram(await this.host.library(), file, source),
      entry: 'answer',
      inputs: [[question, ...given]],
      limits: { ...LIMITS, fuel: this.fuel },
      retain: true,
    };
    const [[outcome]] = await this.host.sandbox().execute([program]);
    return outcome;
  }
}

/** Returns the inputs of the driver for values of parameters and for groups. */
function inputsOf(
  { source }: Pick<CustomRuleSource, 'source'>,
  given: Readonly<Record<string, string>>,
  groups: readonly Group[],
): readonly Value[] {
  const identifiers = new Set(source.match(/[A-Za-z_]\w*/g));
  // A rule that walks through all fields of a turn names none of them.
  const all = /\.fields\b(?!\s*(\[|\.get\())/.test(source);
  const read = groups.map((group) => withTotals(declaredFields(source), group));
  const records = read.map(({ id, turns, outcomeIsTotal }) => [
    id,
    turns.map((turn) => turnRecord(turn, all ? undefined : identifiers)),
    outcomeIsTotal ?? null,
  ]);
  return [JSON.stringify(given), JSON.stringify(records)];
}

/** @throws the error that is known of the group */
function findResult(name: string, group: Group): CustomRuleResult | undefined {
  const result = resultOf(name, group);
  if (result instanceof Error) throw result;
  return result;
}

type Position = { readonly file: string; readonly line?: number };

const LIMIT_TEXTS: Readonly<Record<LimitKind, (fuel: number) => string>> = {
  fuel: (fuel) => `took more than ${fuel.toLocaleString('en')} steps for a batch`,
  time: () => 'took more than a minute for a batch',
  memory: () => 'needs more memory than there is',
  stack: () => 'calls itself too deeply',
  source: () => 'is too long',
  result: () => 'returned more than a batch can hold',
};

/** @throws {CustomRuleError} for an outcome without a value */
export function returnedBy(outcome: Outcome, position: Position, fuel: number): Value {
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

/** @throws {CustomRuleError} for a file that is no rule */
function readHead(head: Value, file: string): CustomRuleDescription {
  const fields = fieldsOf(head);
  const failed = failureOf(fields, file);
  if (failed) throw failed;
  try {
    return readDescription(fields);
  } catch (error) {
    throw new CustomRuleError({ file }, (error as Error).message);
  }
}

/**
 * Returns the description in the file, and the driver's two lists.
 * @throws {CustomRuleError} if the rule has replaced them
 */
function partsOf(value: Value, file: string): readonly [Value, ...(readonly Value[])[]] {
  const parts = typeof value === 'object' && value !== null && 'tuple' in value ? value.tuple : [];
  const [head, ...lists] = parts;
  if (head !== undefined && lists.length === 2 && lists.every(Array.isArray)) return [head, ...(lists as Value[][])];
  throw new CustomRuleError({ file }, 'has changed what calls it');
}

/** Reads the result of a group. */
function readGroupResult(value: Value, group: Group | undefined, position: Position): CustomRuleResult {
  const fields = fieldsOf(value);
  const at = { ...position, group: group?.id };
  const turn = numberOf(fields.get('turn'));
  const rejection = fields.get('refused');
  if (typeof rejection === 'string') {
    const field = fields.get('field');
    throw new CreditError(group?.id ?? '', turn, typeof field === 'string' ? field : undefined, rejection);
  }
  const failed = failureOf(fields, position.file, { line: position.line, group: group?.id });
  if (failed) throw failed;
  const returned = fields.get('returned');
  if (group === undefined || returned === undefined) throw new CustomRuleError(position, 'has changed what calls it');
  try {
    return readResult(returned, group);
  } catch (error) {
    if (!(error instanceof ResultError)) throw error;
    throw new CustomRuleError({ ...at, turn: error.turn }, error.message);
  }
}

/**
 * Reads the explanation of a group, [turns][lines].
 * @throws {CustomRuleError} if the rule failed before it reported anything
 */
function readDerivation(value: Value, file: string, group: Group): readonly (readonly string[])[] {
  const fields = fieldsOf(value);
  const failed = failureOf(fields, file, { group: group.id });
  if (failed) throw failed;
  const all = fields.get('lines');
  if (!Array.isArray(all) || all.length !== group.turns.length)
    throw new CustomRuleError({ file }, 'has changed what calls it');
  return (all as readonly Value[]).map((lines, turn) => {
    const wrong = failureOf(fieldsOf(lines), file, { group: group.id });
    if (wrong) return [wrong.message];
    const texts = (Array.isArray(lines) ? lines : [undefined]) as readonly Value[];
    if (texts.every((line) => typeof line === 'string'))
      return texts.slice(0, MAX_LINES).map((line) => String(line).slice(0, LONGEST_LINE));
    return [new CustomRuleError({ file, group: group.id, turn }, 'worked() must return a list of texts').message];
  });
}

/** Failure that a program in the sandbox reports; undefined if it reports none. */
export function failureOf(
  fields: ReadonlyMap<string, Value>,
  file: string,
  { line, group }: { readonly line?: number | undefined; readonly group?: string | undefined } = {},
): CustomRuleError | undefined {
  const problem = fields.get('problem');
  if (typeof problem !== 'string') return undefined;
  const position = { file, line: numberOf(fields.get('line')) ?? line, group, turn: numberOf(fields.get('turn')) };
  return new CustomRuleError(position, problem.slice(0, 400));
}

function numberOf(value: Value | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** @throws {CustomRuleError} if a group got another result in the second computation */
function checkRepeated(
  groups: readonly Group[],
  results: readonly CustomRuleResult[],
  repeated: readonly CustomRuleResult[],
  position: Position,
): void {
  repeated.forEach((again, index) => {
    const at = repeated.length - 1 - index;
    if (JSON.stringify(again) === JSON.stringify(results[at])) return;
    const text = (item: unknown) => JSON.stringify(item);
    const turn = results[at].advantage.findIndex(
      (value, turnIndex) => text(value) !== text(again.advantage[turnIndex]),
    );
    const description = turn < 0 ? '' : ` (${text(results[at].advantage[turn])}, then ${text(again.advantage[turn])})`;
    const where = { ...position, group: groups[at].id, turn: turn < 0 ? undefined : turn };
    throw new CustomRuleError(where, `the same group got another result in a second computation${description}`);
  });
}

/** @throws {CustomRuleError} for a result with a number a token */
function refuseLists(groups: readonly Group[], results: readonly CustomRuleResult[], position: Position): void {
  results.forEach(({ advantage }, index) => {
    const turn = advantage.findIndex(Array.isArray);
    if (turn < 0) return;
    const problem = 'returned a list of numbers, one a token; a run takes one number a turn';
    throw new CustomRuleError({ ...position, group: groups[index].id, turn }, problem);
  });
}

/** Returns the fields of a turn that rules read, and those among `identifiers`; without `identifiers` all fields. */
function turnRecord(turn: Turn, identifiers: ReadonlySet<string> | undefined): object {
  const record: Record<string, unknown> = { parent: turn.parent, reward: turn.reward };
  for (const field of FIELDS) if (turn[field] !== undefined) record[field] = turn[field];
  const known = new Set<string>([...Object.keys(record), ...FIELDS]);
  const named = Object.keys(turn).filter((field) => !known.has(field) && (identifiers?.has(field) ?? true));
  return named.length === 0
    ? record
    : { ...record, fields: Object.fromEntries(named.map((name) => [name, turn[name]])) };
}
