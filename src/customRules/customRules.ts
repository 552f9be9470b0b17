import type { Limits, Outcome, Program, Value } from '@turnwise/python-sandbox/types';
import { withTotals } from '../credit/arithmetic/chains.ts';
import { CreditError } from '../credit/creditError.ts';
import {
  type CustomRuleResult,
  type CustomRuleSource,
  declaredFields,
  decodeCustomRule,
  resultOf,
  saveResult,
  storeDerivation,
  wrongConstant,
} from '../credit/rules/custom/customRule.ts';
import { defaults, parseParameters } from '../parameters/parameters.ts';
import { type Group, TURN_FIELDS, type Turn } from '../rollouts/forest.ts';
import { type Question, ruleProgram } from './driver.ts';
import {
  type CustomRuleDescription,
  CustomRuleError,
  type CustomRuleLocation,
  failureOf,
  fieldsOf,
  integerOf,
  ResultError,
  readDescription,
  readResult,
  returnedBy,
} from './results.ts';

/** File name and source of a rule. */
type RuleFile = Pick<CustomRuleSource, 'file' | 'source'>;

/** Part of the sandbox interface that executes rules. */
export interface RuleSandbox {
  /** Executes programs. Resolves to outcomes [programs][inputs]. */
  execute(programs: readonly Program[]): Promise<readonly (readonly Outcome[])[]>;
}

/** Host in which custom rules are computed. */
export interface CustomRulesHost {
  /**
   * Returns the sandbox, which is opened at the first call.
   * @throws {Error} if no sandbox is available
   */
  sandbox(): RuleSandbox;
  /** Returns the source of the package's core.py, which rules import as `turnwise_rl`. */
  library(): Promise<string>;
}

/** Maximum fuel of a batch [interpreter steps]. */
export const FUEL = 50_000_000;
/** Limits of a call. `result` allows a batch with a few named values per turn. */
export const LIMITS: Partial<Limits> = {
  ...{ time: 60_000, memory: 256 * 2 ** 20, output: 1_000, source: 200_000, result: 4_000_000 },
};
/** Limits of a rule's explanation of a turn: number of lines, and characters per line. */
const MAX_LINES = 50;
const LONGEST_LINE = 500;
/** Number of batches of a rule in which some groups are computed twice, and number of these groups per batch. */
const CHECKED_BATCHES = 3;
const CHECKED_GROUPS = 8;
/** Number of descriptions in the cache, which is cleared when it is full. */
const MAX_DESCRIPTIONS = 8;

const FIELDS = [...TURN_FIELDS, 'validates'] as const;

/** Custom rules in a sandbox: the descriptions in their files, and their results for groups. */
export class CustomRules {
  private readonly described = new Map<string, Promise<CustomRuleDescription>>();
  private readonly batches = new Map<string, number>();

  /** @param fuel maximum fuel of a batch [interpreter steps] */
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
      // The file changes while a user types, so the cache is cleared when it is full.
      if (this.described.size >= MAX_DESCRIPTIONS) this.described.clear();
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
   * Computes a rule over groups in one call of the sandbox, and stores the results for the rule of this name. Groups
   * with a stored result are skipped.
   * @param name name of the rule (`encodeCustomRule`)
   * @param unit 'turn' if each turn must have one number
   * @throws {CustomRuleError} for every error of the rule
   * @throws {CreditError} for a group that the rule cannot read
   * @throws {ParameterError} for a value that the rule does not allow
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
   * Computes the rule's explanation of the advantages of a group, and stores it for the rule of this name, turn by
   * turn. A file without a function `worked` has no explanation.
   * @param name name of the rule (`encodeCustomRule`)
   * @throws {CustomRuleError} if the rule has no result for the group
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

  /**
   * Returns the values that differ from the defaults, as texts for the driver. Without such values, the parameters of
   * the file are not read.
   */
  private async valuesOf(customRule: CustomRuleSource): Promise<Readonly<Record<string, string>>> {
    if (Object.keys(customRule.values).length === 0) return {};
    const { parameters } = await this.describe(customRule);
    const values = { ...defaults(parameters), ...parseParameters(parameters, customRule.values) };
    return Object.fromEntries(Object.keys(customRule.values).map((key) => [key, String(values[key])]));
  }

  /**
   * Returns the description in a file, which the sandbox returned together with the credit.
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
  // A rule that iterates over all fields of a turn does not name them.
  const all = /\.fields\b(?!\s*(\[|\.get\())/.test(source);
  const read = groups.map((group) => withTotals(declaredFields(source), group));
  const records = read.map(({ id, turns, outcomeIsTotal }) => [
    id,
    turns.map((turn) => turnRecord(turn, all ? undefined : identifiers)),
    outcomeIsTotal ?? null,
  ]);
  return [JSON.stringify(given), JSON.stringify(records)];
}

/**
 * Returns the stored result of a group.
 * @throws the stored error of the group
 */
function findResult(name: string, group: Group): CustomRuleResult | undefined {
  const result = resultOf(name, group);
  if (result instanceof Error) throw result;
  return result;
}

type Position = Pick<CustomRuleLocation, 'file' | 'line'>;

/**
 * Reads the description of a rule.
 * @throws {CustomRuleError} for a file that is not a rule
 */
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
 * Returns the description in the file, and the two lists of results from the driver.
 * @throws {CustomRuleError} if the rule has replaced the driver
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
  const turn = integerOf(fields.get('turn'));
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
 * @throws {CustomRuleError} if the rule failed before it explained a turn
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

/**
 * Compares the results of groups that were computed twice.
 * @throws {CustomRuleError} if a group has different results
 */
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

/**
 * Checks that each turn has one number.
 * @throws {CustomRuleError} for a result with one number per token
 */
function refuseLists(groups: readonly Group[], results: readonly CustomRuleResult[], position: Position): void {
  results.forEach(({ advantage }, index) => {
    const turn = advantage.findIndex(Array.isArray);
    if (turn < 0) return;
    const problem = 'returned a list of numbers, one a token; a run takes one number a turn';
    throw new CustomRuleError({ ...position, group: groups[index].id, turn }, problem);
  });
}

/**
 * Returns the fields of a turn that every rule can read, and further fields whose names are among `identifiers`.
 * Without `identifiers`, all fields are returned.
 */
function turnRecord(turn: Turn, identifiers: ReadonlySet<string> | undefined): object {
  const record: Record<string, unknown> = { parent: turn.parent, reward: turn.reward };
  for (const field of FIELDS) if (turn[field] !== undefined) record[field] = turn[field];
  const known = new Set<string>([...Object.keys(record), ...FIELDS]);
  const named = Object.keys(turn).filter((field) => !known.has(field) && (identifiers?.has(field) ?? true));
  return named.length === 0
    ? record
    : { ...record, fields: Object.fromEntries(named.map((name) => [name, turn[name]])) };
}
