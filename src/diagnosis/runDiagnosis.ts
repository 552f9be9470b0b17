import type { FlatReason } from '../rollouts/flatGroups.ts';
import type { Group } from '../rollouts/forest.ts';
import {
  byInterest,
  type Diagnosis,
  type GroupSignals,
  type GroupToRead,
  groupSignals,
  type NamedCredit,
  opposedTurns,
  type RunTotals,
  type StepRow,
  StepSums,
  type Sum,
  sumOf,
} from './diagnosis.ts';
import { FileChecks, Occurrences } from './fileChecks.ts';
import { findings } from './findings.ts';
import { creditUnder, LOGGED, loggedCredit, RuleCredits } from './ruleCredits.ts';
import { AFTER_CALL, ANY_CALL, TurnKinds, WITHOUT_CALL } from './turnKinds.ts';

/** Maximum number of groups that are recommended for reading. */
const READ_LIMIT = 5;
/** Default rule for a log without advantages. */
export const DEFAULT_RULE = 'grpo-or';
/**
 * Rules that the rule in use is compared with. The first of them that can read the group is used: by states, or by turn
 * rewards.
 */
const COMPARED_WITH = ['rtmc', 'mt-grpo'];

/**
 * Collects the numbers of a run, group by group. Memory grows with the number of steps and not with the number of
 * rollouts.
 */
export class RunDiagnosis {
  private readonly bySteps = new Map<number | null, StepSums>();
  private readonly kinds = new TurnKinds();
  private readonly credits: RuleCredits;
  private readonly checks = new FileChecks();
  private readonly read: GroupToRead[] = [];
  private loggedGroups = 0;
  private unscored = 0;
  private readonly totals: RunTotals = {
    ...{ groups: 0, rollouts: 0, turns: 0, ties: new Map(), tiedRollouts: 0, withState: 0, sharedState: 0 },
    ...{
      tieExamples: new Map(),
      opposed: new Map(),
      pairs: 0,
      reversed: new Occurrences(),
      componentRanges: new Map(),
      componentsAddUp: true,
    },
  };

  /** @param rule name of the rule that computes advantages if the log has none */
  constructor(private readonly rule = DEFAULT_RULE) {
    this.credits = new RuleCredits(rule);
  }

  /** Adds a group and returns its signals. */
  see(group: Group): GroupSignals {
    const { paths, kinds, tools } = this.kinds.of(group);
    const { totals } = this;
    const step = typeof group.step === 'number' ? group.step : null;
    const sums = this.bySteps.get(step) ?? new StepSums(step);
    this.bySteps.set(step, sums);
    const logged = loggedCredit(group, paths);
    if (logged) this.loggedGroups++;
    const credits = new Map(this.credits.of(group));
    if (logged) credits.set(LOGGED, logged);
    const signals = this.signals(group, credits, logged);

    for (const counts of [sums, totals]) {
      counts.groups++;
      counts.rollouts += paths.length;
      counts.turns += group.turns.length;
      if (signals.tie) counts.ties.set(signals.tie, (counts.ties.get(signals.tie) ?? 0) + 1);
    }
    if (signals.tie) {
      totals.tiedRollouts += paths.length;
      if (!totals.tieExamples.has(signals.tie)) totals.tieExamples.set(signals.tie, group.id);
    }
    for (const [index, path] of paths.entries()) this.seeRollout(sums, group, path, tools[index]);
    if (!sums.firstCalling && tools.some(({ size }) => size > 0)) sums.firstCalling = group.id;
    if (!sums.widest || signals.deviation > sums.widest.deviation)
      sums.widest = { id: group.id, deviation: signals.deviation };
    for (const [name, credit] of credits) this.seeCredit(sums, name, credit, kinds);
    this.seeOpposed(credits);
    this.seeStates(group, paths);
    if (logged) this.seeOrder(group, paths, logged);
    this.checks.see(group, paths);
    this.read.push({ id: group.id, step, signals });
    if (this.read.length > 8 * READ_LIMIT) this.trim();
    return signals;
  }

  /** Counts groups whose rollouts have no reward, which importers omit. */
  addUnscored(groups: readonly { readonly reason: FlatReason; readonly rollouts: number }[]): void {
    const { totals } = this;
    for (const { reason, rollouts } of groups) {
      totals.groups++;
      totals.rollouts += rollouts;
      totals.tiedRollouts += rollouts;
      totals.ties.set(reason, (totals.ties.get(reason) ?? 0) + 1);
      this.unscored++;
    }
  }

  result(): Diagnosis {
    this.trim();
    const ruleInUse = this.ruleInUse();
    const steps = [...this.bySteps.values()].sort((a, b) => (a.step ?? -1) - (b.step ?? -1));
    const opposed = Object.fromEntries(this.totals.opposed);
    const names = [LOGGED, ...this.credits.classes().map(([first]) => first)];
    const { withState, sharedState, groups, rollouts, turns, ties } = this.totals;
    const diagnosis = {
      ...{ ruleInUse, opposed, totals: { groups, rollouts, turns, withoutSignal: Object.fromEntries(ties) } },
      steps: steps.map((sums) => rowOf(sums, ruleInUse)),
      rules: this.credits.classes(),
      comparedGroups: this.credits.compared + this.unscored,
      kinds: kindsOf(steps, names, ruleInUse),
      sharedStates: withState === 0 ? null : sharedState / withState,
      groupsToRead: [...this.read],
    };
    return { ...diagnosis, findings: findings({ diagnosis, steps, totals: this.totals, checks: this.checks }) };
  }

  private ruleInUse(): string {
    return this.loggedGroups > 0 && this.loggedGroups === this.totals.groups - this.unscored ? LOGGED : this.rule;
  }

  /** Computes the signals under two rules for each group, including groups outside the sample of a large log. */
  private signals(
    group: Group,
    credits: ReadonlyMap<string, Float64Array>,
    logged: Float64Array | undefined,
  ): GroupSignals {
    const under = (rule: string): NamedCredit | undefined => {
      const advantage = credits.get(rule) ?? creditUnder(rule, group);
      return advantage && { rule, advantage };
    };
    const used = logged ? { rule: LOGGED, advantage: logged } : under(this.rule);
    for (const rule of used ? COMPARED_WITH : []) {
      const compared = under(rule);
      if (compared) return groupSignals(group, used, compared);
    }
    return groupSignals(group, used);
  }

  private trim(): void {
    this.read.sort((a, b) => byInterest(a.signals, b.signals));
    this.read.length = Math.min(this.read.length, READ_LIMIT);
  }

  private seeRollout(sums: StepSums, group: Group, path: readonly number[], tools: ReadonlySet<string>): void {
    const last = group.turns[path[path.length - 1]];
    if (last.outcome !== undefined) sums.reward.add(last.outcome);
    if (tools.size > 0) sums.calling++;
    for (const tool of tools) sums.tools.set(tool, (sums.tools.get(tool) ?? 0) + 1);
    if (last.truncated) sums.truncated++;
    if (last.components === null || typeof last.components !== 'object') return;
    let total = 0;
    for (const [name, value] of Object.entries(last.components as Record<string, unknown>)) {
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      total += value;
      sumOf(sums.components, name).add(value);
      sumOf(sums.rests, name).add((last.outcome ?? 0) - value);
      const known = this.totals.componentRanges.get(name) ?? { minimum: value, maximum: value, count: 0 };
      this.totals.componentRanges.set(name, {
        ...{ minimum: Math.min(known.minimum, value), maximum: Math.max(known.maximum, value), count: known.count + 1 },
      });
    }
    if (Math.abs(total - (last.outcome ?? 0)) > 1e-6 * Math.max(1, Math.abs(total)))
      this.totals.componentsAddUp = false;
  }

  private seeCredit(sums: StepSums, rule: string, credit: Float64Array, kinds: readonly (readonly string[])[]): void {
    const byKind = sums.credit.get(rule) ?? new Map<string, Sum>();
    sums.credit.set(rule, byKind);
    for (const [turn, names] of kinds.entries()) {
      for (const name of names) sumOf(byKind, name).add(credit[turn]);
      if (names[0] !== AFTER_CALL && names[0] !== WITHOUT_CALL) sumOf(byKind, ANY_CALL).add(credit[turn]);
    }
  }

  private seeOpposed(credits: ReadonlyMap<string, Float64Array>): void {
    const used = credits.get(LOGGED) ?? credits.get(this.rule);
    if (!used) return;
    for (const [name, credit] of credits) {
      const count = credit === used ? 0 : opposedTurns(used, credit);
      if (count > 0) this.totals.opposed.set(name, (this.totals.opposed.get(name) ?? 0) + count);
    }
  }

  private seeStates(group: Group, paths: readonly (readonly number[])[]): void {
    const states = new Map<string, { readonly rollout: number; turns: number; isShared: boolean }>();
    paths.forEach((path, rollout) => {
      for (const turn of path) {
        const { state } = group.turns[turn];
        if (state === undefined) continue;
        const known = states.get(state) ?? { rollout, turns: 0, isShared: false };
        known.turns++;
        known.isShared ||= known.rollout !== rollout;
        states.set(state, known);
      }
    });
    for (const { turns, isShared } of states.values()) {
      this.totals.withState += turns;
      if (isShared) this.totals.sharedState += turns;
    }
  }

  /**
   * Checks that advantages have the order of the rewards, if turns have no rewards and each rollout has one advantage.
   */
  private seeOrder(group: Group, paths: readonly (readonly number[])[], credit: Float64Array): void {
    if (group.turns.some(({ reward }) => reward !== 0)) return;
    const rollouts = paths.map((path) => ({
      reward: group.turns[path[path.length - 1]].outcome ?? 0,
      advantage: credit[path[0]],
      even: path.every((turn) => credit[turn] === credit[path[0]]),
    }));
    if (!rollouts.every(({ even }) => even)) return;
    let isReversed = false;
    rollouts.forEach((a, index) => {
      for (const b of rollouts.slice(index + 1)) {
        if (a.reward === b.reward) continue;
        this.totals.pairs++;
        if ((a.reward - b.reward) * (a.advantage - b.advantage) < 0) isReversed = true;
      }
    });
    if (isReversed) this.totals.reversed.add(group.id);
  }
}

function rowOf(sums: StepSums, rule: string): StepRow {
  const { step, groups, rollouts, turns, reward, calling, tools, truncated, ties } = sums;
  const credit = sums.credit.get(rule);
  const means = (all: ReadonlyMap<string, Sum>) =>
    Object.fromEntries([...all].map(([name, sum]) => [name, sum.mean ?? 0]));
  return {
    ...{
      step,
      groups,
      rollouts,
      turns,
      reward: reward.mean,
      calls: calling / rollouts,
      ties: Object.fromEntries(ties),
    },
    tools: Object.fromEntries([...tools].map(([name, count]) => [name, count / rollouts])),
    truncated: truncated / rollouts,
    creditOfCall: credit?.get(ANY_CALL)?.mean ?? null,
    creditOfAnswer: credit?.get(WITHOUT_CALL)?.mean ?? null,
    credit: Object.fromEntries([...sums.credit].map(([name, byKind]) => [name, means(byKind)])),
    components: means(sums.components),
  };
}

function kindsOf(steps: readonly StepSums[], rules: readonly string[], used: string): Diagnosis['kinds'] {
  const byKind = new Map<string, Map<string, Sum>>();
  for (const { credit } of steps) {
    for (const rule of new Set([used, ...rules])) {
      for (const [kind, { total, count }] of credit.get(rule) ?? []) {
        const sums = byKind.get(kind) ?? new Map<string, Sum>();
        byKind.set(kind, sums);
        const sum = sumOf(sums, rule);
        sum.total += total;
        sum.count += count;
      }
    }
  }
  const ORDER = [ANY_CALL, AFTER_CALL, WITHOUT_CALL];
  const listed = [...byKind].filter(([kind]) => kind !== ANY_CALL || byKind.size > 4);
  listed.sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));
  return listed.map(([kind, sums]) => ({
    ...{ kind, turns: Math.max(...[...sums.values()].map(({ count }) => count)) },
    credit: Object.fromEntries([...sums].flatMap(([rule, { mean }]) => (mean === null ? [] : [[rule, mean]]))),
  }));
}
