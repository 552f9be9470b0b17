import type { CreditRule } from '../credit/rule.ts';
import { creditOrError, findRule, RULES } from '../credit/rules.ts';
import { ForestError, type Group, type Turn } from '../rollouts/forest.ts';

/** Name of the logged advantages. It is used in place of the name of a rule. */
export const LOGGED = 'logged';

/** Relative difference up to which two advantages are equal. */
const EQUAL = 1e-9;
/** Number of groups for which all rules are computed. After them, all rules are computed for every 16th group. */
const COMPARED = 1000;
const SAMPLED = 16;

/** Credit of groups under all rules that can read every group. */
export class RuleCredits {
  private groups = 0;
  private readonly rules = new Map<string, CreditRule>(RULES.map((rule) => [rule.name, rule]));
  /** Pairs of names of rules whose advantages differ in some group. */
  private readonly different = new Set<string>();
  /** Error of each rule that cannot read a group. */
  readonly errors = new Map<string, string>();

  /** Number of groups for which all rules are computed. */
  compared = 0;

  /** @param rule name of the rule that is computed for all groups */
  constructor(private readonly rule: string) {}

  /**
   * Returns [turns] the advantages of a group by rule; 0 for pruned turns. In a large log, other rules are computed for
   * a sample.
   */
  of(group: Group): ReadonlyMap<string, Float64Array> {
    const credits = new Map<string, Float64Array>();
    const isCompared = this.groups < COMPARED || this.groups % SAMPLED === 0;
    this.groups++;
    if (isCompared) this.compared++;
    // No rule can read a group without turns. Such a group must not discard rules.
    for (const [name, rule] of group.turns.length === 0 ? [] : this.rules) {
      if (!isCompared && name !== this.rule) continue;
      const credit = advantagesOf(rule, group);
      if (credit instanceof ForestError) {
        this.rules.delete(name);
        this.errors.set(name, credit.message);
      } else credits.set(name, credit);
    }
    this.compare(credits);
    return credits;
  }

  private compare(credits: ReadonlyMap<string, Float64Array>): void {
    const all = [...credits];
    all.forEach(([name, credit], index) => {
      for (const [earlier, before] of all.slice(0, index)) {
        const pair = `${earlier} ${name}`;
        if (this.different.has(pair)) continue;
        if (credit.some((value, turn) => Math.abs(value - before[turn]) > EQUAL * Math.max(1, Math.abs(value))))
          this.different.add(pair);
      }
    });
  }

  /** Returns the rules that can read all groups. Rules with equal advantages share an entry. */
  classes(): readonly (readonly string[])[] {
    const classes: string[][] = [];
    for (const name of this.rules.keys()) {
      const same = classes.find(([first]) => !this.different.has(`${first} ${name}`));
      if (same) same.push(name);
      else classes.push([name]);
    }
    return classes;
  }
}

/** Returns [turns] the advantages of a group under a rule; undefined if the rule cannot read the group. */
export function creditUnder(name: string, group: Group): Float64Array | undefined {
  const rule = findRule(name);
  // The check avoids an error for a missing field, whose stack trace takes longer than computing the credit of a group.
  if (rule.reads.some((field) => group.turns.every((turn) => turn[field] === undefined))) return undefined;
  const credit = advantagesOf(rule, group);
  return credit instanceof ForestError ? undefined : credit;
}

/** Returns [turns] the advantages, 0 for pruned turns, or the reason why the rule cannot read the group. */
function advantagesOf(rule: CreditRule, group: Group): Float64Array | ForestError {
  const credit = creditOrError(rule, group);
  return credit instanceof ForestError ? credit : credit.advantage.map((value) => (Number.isNaN(value) ? 0 : value));
}

/**
 * Returns [turns] the advantages that the trainer logged; undefined if a rollout has none. The advantage of a turn is
 * the mean over its tokens. A turn without an advantage gets the advantage of the last turn of its rollout.
 * @param paths [rollouts][turns] indices of turns
 */
export function loggedCredit(group: Group, paths: readonly (readonly number[])[]): Float64Array | undefined {
  const credit = new Float64Array(group.turns.length);
  for (const path of paths) {
    const values = path.map((turn) => loggedOf(group.turns[turn]));
    const last = values[values.length - 1];
    if (last === undefined) return undefined;
    for (const [at, turn] of path.entries()) credit[turn] = values[at] ?? last;
  }
  return credit;
}

function loggedOf({ advantage, advantages }: Turn): number | undefined {
  if (!Array.isArray(advantages)) return isFiniteNumber(advantage) ? advantage : undefined;
  const numbers = advantages.filter(isFiniteNumber);
  return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
