import type { CreditRule } from '../credit/rule.ts';
import { findRule, RULES } from '../credit/rules.ts';
import { withTotals } from '../credit/totals.ts';
import type { Group } from '../rollouts/forest.ts';
import { ForestError } from '../rollouts/forestError.ts';

/** Name of the advantages that the trainer logged, among the names of rules. */
export const LOGGED = 'logged';

/** Difference up to which two advantages are equal. */
const EQUAL = 1e-9;
/** Groups for which every rule is computed; of the groups after them, one in this number. */
const COMPARED = 1000;
const SAMPLED = 16;

/** Credit of groups under every rule that reads all of them. */
export class RuleCredits {
  private groups = 0;
  private readonly rules = new Map<string, CreditRule>(RULES.map((rule) => [rule.name, rule]));
  /** Rules whose advantages differ from the advantages of an earlier rule, by the pair of names. */
  private readonly different = new Set<string>();
  /** Rules that cannot read a group, with the reason. */
  readonly errors = new Map<string, string>();

  /** Groups for which every rule was computed. */
  compared = 0;

  /** @param rule that is computed for every group */
  constructor(private readonly rule: string) {}

  /** Returns the advantages of a group by rule, [turns] each; pruned turns have 0. In a large log, every rule is computed for a sample. */
  of(group: Group): ReadonlyMap<string, Float64Array> {
    const credits = new Map<string, Float64Array>();
    const isCompared = this.groups < COMPARED || this.groups % SAMPLED === 0;
    this.groups++;
    if (isCompared) this.compared++;
    // No rule reads a group without turns, and such a group says nothing about the rules.
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

  /** Returns the rules that read every group; rules with equal advantages share an entry. */
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

/** Returns the advantages of a group under a rule, [turns]; undefined if the rule cannot read the group. */
export function creditUnder(name: string, group: Group): Float64Array | undefined {
  const rule = findRule(name);
  // A rule that misses a field throws an error, whose stack trace takes longer than the credit of a group.
  if (rule.reads.some((field) => group.turns.every((turn) => turn[field] === undefined))) return undefined;
  const credit = advantagesOf(rule, group);
  return credit instanceof ForestError ? undefined : credit;
}

/** Returns [turns], 0 for pruned turns, or the reason for which the rule cannot read the group. */
function advantagesOf(rule: CreditRule, group: Group): Float64Array | ForestError {
  try {
    const { advantage } = rule.credit(withTotals(rule, group), {});
    return advantage.map((value) => (Number.isNaN(value) ? 0 : value));
  } catch (error) {
    if (!(error instanceof ForestError)) throw error;
    return error;
  }
}
