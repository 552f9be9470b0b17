import { withTotals } from '../credit/arithmetic/chains.ts';
import { PROFILE, PROFILES } from '../credit/arithmetic/normalize.ts';
import type { CreditRule } from '../credit/rule.ts';
import { RULES } from '../credit/rules.ts';
import { ForestError, type Group, trajectories } from '../rollouts/forest.ts';
import { type RewardGroup, SCHEMES, type Scheme } from './schemes.ts';

/** Group with the advantages that the trainer logged. */
interface LoggedGroup extends RewardGroup {
  readonly id: string;
  /** [rollouts][turns] logged advantage; undefined for turns without one. */
  readonly logged: readonly (readonly (number | undefined)[])[];
}

/** Method that computes advantages, and the number of groups that agree with it. */
export interface Agreement {
  readonly name: string;
  /** Explanation; present if the method is a known error of trainers. */
  readonly cause?: string;
  readonly groups: number;
  /** Number of groups whose logged advantages agree. */
  readonly equal: number;
  /** First number that does not agree, with its likely cause; undefined if all groups agree. */
  readonly first?: Difference | undefined;
}

/** Logged number that differs from the expected number. */
export interface Difference {
  readonly source: string;
  readonly logged: number;
  readonly expected: number;
  readonly likely: string | undefined;
}

/** Relative difference below which logged float32 numbers agree. */
const TOLERANCE = 2e-5;
/** Number of groups after which a rule that agrees with none of them is discarded. */
const RULE_SAMPLE = 16;

/** Number of groups that agree with a method. */
class Count {
  groups = 0;
  equal = 0;
  first: Difference | undefined;

  /** @param expected [rollouts][turns] */
  see({ id, logged }: LoggedGroup, expected: readonly (readonly number[])[]): void {
    const pairs = logged.flatMap((turns, rollout) =>
      turns.flatMap((value, turn): Pair[] =>
        value === undefined ? [] : [{ rollout, turn, logged: value, expected: expected[rollout][turn] }],
      ),
    );
    this.groups++;
    const wrong = pairs.find(({ logged, expected }) => differs(logged, expected));
    if (!wrong) this.equal++;
    if (!wrong || this.first) return;
    const turn =
      logged[wrong.rollout].filter((value) => value !== undefined).length > 1 ? `, turn ${wrong.turn + 1}` : '';
    const source = `group ${id}, rollout ${wrong.rollout + 1}${turn}`;
    this.first = { source, logged: wrong.logged, expected: wrong.expected, likely: likelyCause(pairs, differs) };
  }
}

function differs(a: number, b: number): boolean {
  return Math.abs(a - b) > TOLERANCE * Math.max(1, Math.abs(b));
}

/**
 * Compares logged advantages with rules and with normalisation schemes of outcomes. The groups of a step form a batch.
 */
export class LoggedAdvantages {
  private readonly batches = new Map<unknown, LoggedGroup[]>();
  private readonly rules = new Map<string, { rule: CreditRule; values: object; count: Count }>();
  private firstUneven: string | undefined;
  /** Number of groups without logged advantages, and number of groups with a single rollout. */
  without = 0;
  lone = 0;

  constructor() {
    for (const rule of RULES) {
      const profiles = rule.parameters.some(({ name }) => name === PROFILE.name) ? Object.keys(PROFILES) : [undefined];
      for (const profile of profiles) {
        const name = profile ? `${rule.name}, profile ${profile}` : rule.name;
        this.rules.set(name, { rule, values: profile ? { profile } : {}, count: new Count() });
      }
    }
  }

  see(group: Group): void {
    const paths = trajectories(group);
    const logged = paths.map((path, rollout) =>
      path.map((turn, at) => this.valueOf(group, turn, `group ${group.id}, rollout ${rollout + 1}, turn ${at + 1}`)),
    );
    if (logged.some((values) => values[values.length - 1] === undefined)) {
      this.without++;
      return;
    }
    if (paths.length === 1) this.lone++;
    const leftOut = Array.isArray(group.leftOut) ? group.leftOut : [];
    const entry = {
      ...{ id: group.id, logged, turns: paths.map(({ length }) => length) },
      outcomes: paths.map((path) => group.turns[path[path.length - 1]].outcome ?? 0),
      withoutTurn: leftOut.flatMap(({ outcome, turns }) =>
        turns.length === 0 && outcome !== undefined ? [outcome] : [],
      ),
      unscored: leftOut.filter(({ outcome }) => outcome === undefined).length,
    };
    const batch = this.batches.get(group.step) ?? [];
    batch.push(entry);
    this.batches.set(group.step, batch);
    this.seeRules(group, paths, entry);
  }

  /** Returns the methods in decreasing agreement. Equal methods are in the order schemes, rules, known errors. */
  agreements(): readonly Agreement[] {
    const batches = [...this.batches.values()];
    const schemes = SCHEMES.filter((scheme) => batches.some((batch) => scheme.applies(batch)));
    const known = (isError: boolean) =>
      schemes.filter(({ cause }) => (cause !== undefined) === isError).map((scheme) => this.agreement(scheme));
    const rules = [...this.rules].map(([name, { count }]) => ({ name, ...countsOf(count) }));
    return [...known(false), ...rules, ...known(true)].sort((a, b) => b.equal - a.equal);
  }

  /** Returns the first turn whose logged token advantages are not equal; undefined if all are equal. */
  uneven(): string | undefined {
    return this.firstUneven;
  }

  private valueOf({ turns }: Group, turn: number, source: string): number | undefined {
    const { advantage, advantages } = turns[turn];
    const values = [Array.isArray(advantages) ? advantages : [], advantage].flat();
    const numbers = values.filter((value): value is number => typeof value === 'number');
    if (numbers.some((value) => value !== numbers[0])) this.firstUneven ??= source;
    return numbers[0];
  }

  private seeRules(group: Group, paths: readonly (readonly number[])[], entry: LoggedGroup): void {
    const isByTurn = entry.logged.some((values) => values.length > 1 && values[0] !== undefined);
    const hasTurns = entry.turns.some((count) => count > 1);
    for (const [name, { rule, values, count }] of this.rules) {
      if (!rule.sharesInRollout && hasTurns && !isByTurn) this.rules.delete(name);
      if (count.groups >= RULE_SAMPLE && count.equal === 0) this.rules.delete(name);
      if (!this.rules.has(name)) continue;
      try {
        const { advantage } = rule.credit(withTotals(rule, group), { ...values });
        count.see(
          entry,
          paths.map((path) => path.map((turn) => advantage[turn])),
        );
      } catch (error) {
        if (!(error instanceof ForestError)) throw error;
        this.rules.delete(name);
      }
    }
  }

  private agreement(scheme: Scheme): Agreement {
    const count = new Count();
    for (const batch of this.batches.values()) {
      const expected = scheme.advantages(batch);
      for (const [at, group] of batch.entries()) {
        const byTurn = group.turns.map((turns, rollout) =>
          Array.from({ length: turns }, (_, turn) =>
            scheme.isLastTurn && turn < turns - 1 ? 0 : expected[at][rollout],
          ),
        );
        count.see(group, byTurn);
      }
    }
    const { name, cause } = scheme;
    return { name, ...(cause === undefined ? {} : { cause }), ...countsOf(count) };
  }
}

function countsOf({ groups, equal, first }: Count) {
  return { groups, equal, first };
}

/** Logged number, and the number that a scheme expects. */
export interface Pair {
  readonly rollout: number;
  readonly turn: number;
  readonly logged: number;
  readonly expected: number;
}

/**
 * Returns a likely cause of the differences within a group; undefined if they match no known pattern.
 * @param pairs all numbers of the group
 * @param differs returns true if two numbers differ by more than the tolerance
 */
function likelyCause(pairs: readonly Pair[], differs: (a: number, b: number) => boolean): string | undefined {
  const wrong = pairs.filter(({ logged, expected }) => differs(logged, expected));
  if (pairs.length < 2 || wrong.length === 0) return undefined;
  if (pairs.every(({ logged }) => logged === 0)) return 'all logged advantages of the group are 0';
  if (wrong.every(({ logged, expected }) => !differs(-logged, expected))) return 'the sign is reversed';
  if (new Set(wrong.map(({ rollout }) => rollout)).size === 1 && new Set(pairs.map(({ rollout }) => rollout)).size > 2)
    return 'only this rollout differs: its logged reward is not the reward that the trainer used';
  const sorted = (key: 'logged' | 'expected') => pairs.map((pair) => pair[key]).sort((a, b) => a - b);
  const [logged, expected] = [sorted('logged'), sorted('expected')];
  if (logged.every((value, at) => !differs(value, expected[at])))
    return 'the same numbers in another order: rows of rewards and advantages do not correspond';
  const shift = pairs[0].logged - pairs[0].expected;
  if (pairs.every((pair) => !differs(pair.logged - pair.expected, shift)))
    return `all numbers differ by ${shift.toPrecision(4)}: the mean contains other rollouts`;
  const nonzero = pairs.filter(({ expected }) => expected !== 0);
  const factor = nonzero[0] === undefined ? Number.NaN : nonzero[0].logged / nonzero[0].expected;
  if (pairs.every((pair) => !differs(pair.logged, factor * pair.expected)))
    return `all numbers differ by the factor ${factor.toPrecision(4)}: another deviation or epsilon`;
  return undefined;
}
