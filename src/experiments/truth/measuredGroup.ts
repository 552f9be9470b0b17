import { findRule } from '../../credit/rules.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { type Histories, turnRewards } from '../../training/collect/continuations.ts';
import type {
  Estimate,
  GradientReport,
  MeasuredGroup,
  MeasuredTurn,
  Return,
  TruthPlan,
  TruthReport,
} from '../../training/data/truthReport.ts';
import { runParameters } from '../../training/update/planUpdate.ts';
import type { TruthMeasurer } from '../../training/worker/measuring.ts';
import { agreements, estimate, precision, type Step, trueAdvantage } from './trueAdvantages.ts';

/** Environment, and the controls under which a group was sampled. */
export interface World {
  readonly environment: AnyEnvironment;
  readonly controls: ParameterValues;
}

/** Group of a batch, and the histories of its rollouts. */
export interface SampledGroup {
  readonly batch: RolloutBatch;
  readonly group: number;
  readonly histories: Histories;
}

/** Values of the histories of a group, measured or exact. */
export interface HistoryValues {
  /** [histories]; undefined if a value is unknown. */
  readonly values: readonly (Estimate | undefined)[];
  /**
   * [trajectories of the group][turns] Q − V. If absent, the advantages follow from the values and the turn rewards.
   */
  readonly advantages?: readonly (readonly number[])[];
}

/** Minimum number of returns for an estimate. */
const FEWEST = 2;

/**
 * Returns the advantages of a group under each rule, in float64.
 * @returns [turns of the group] by rule; NaN if the rule prunes the turn
 * @throws {CreditError} if a rule cannot read the group
 */
export function judge(
  { environment, controls }: World,
  rules: readonly string[],
  { batch, group }: Pick<SampledGroup, 'batch' | 'group'>,
): Readonly<Record<string, Float64Array>> {
  const entries = rules.map((name) => {
    const rule = findRule(name);
    const parameters = runParameters(rule, controls, environment.maxTurns);
    return [name, rule.credit(batch.groups[group], parameters).advantage] as const;
  });
  return Object.fromEntries(entries);
}

/** Estimates the values of histories from sampled returns. @param returns [histories][continuations] */
export function sampledValues(
  { environment, controls }: World,
  returns: readonly (readonly number[])[],
): HistoryValues {
  const { bestOutcome, worstOutcome } = environment.outcomeRange(controls);
  const values = returns.map((samples) =>
    samples.length < FEWEST ? undefined : estimate(samples, [worstOutcome, bestOutcome]),
  );
  return { values };
}

/**
 * Combines the measured data of a group. Each turn occurs once, ordered by rollout. Turns without a value before or
 * after them are omitted.
 * @param credit result of `judge`
 * @param chosen turns of the group to include; by default all
 */
export function measuredGroup(
  counts: Return,
  { batch, group, histories: { before } }: SampledGroup,
  { values, advantages }: HistoryValues,
  credit: Readonly<Record<string, Float64Array>>,
  chosen?: ReadonlySet<number>,
): MeasuredGroup {
  const forestGroup = batch.groups[group];
  const first = batch.forest.groupOffset[group];
  const known = new Set<number>();
  const turns = batch.trajectories
    .filter((trajectory) => trajectory.group === group)
    .flatMap((trajectory, rollout) => {
      const rewards = turnRewards(batch, trajectory, counts);
      return trajectory.turns.flatMap(({ forestTurn: position, summary }, turn): MeasuredTurn[] => {
        const forestTurn = position - first;
        const last = turn + 1 === trajectory.turns.length;
        const here = values[before[rollout][turn]];
        const next = last ? undefined : values[before[rollout][turn + 1]];
        if (known.has(forestTurn) || (chosen && !chosen.has(forestTurn)) || !here || !(last || next)) return [];
        known.add(forestTurn);
        const { state, action } = forestGroup.turns[forestTurn];
        return [
          {
            forestTurn,
            rollout,
            turn,
            summary,
            ...(state === undefined ? {} : { state }),
            ...(action === undefined ? {} : { action }),
            reward: rewards[turn],
            before: here,
            ...(next ? { after: next } : {}),
            advantage: advantages
              ? { mean: advantages[rollout][turn], error: 0 }
              : trueAdvantage(here, rewards[turn], next, counts.gamma),
            rules: Object.fromEntries(
              Object.entries(credit).map(([name, advantage]) => [name, unlessPruned(advantage[forestTurn])]),
            ),
          },
        ];
      });
    });
  return { question: batch.questions[group], outcomes: outcomes(batch, group), turns };
}

const unlessPruned = (value: number) => (Number.isNaN(value) ? null : value);

/** Returns [rollouts] the outcome of each rollout. */
export function outcomes({ trajectories }: RolloutBatch, group: number): number[] {
  return trajectories.filter((trajectory) => trajectory.group === group).map(({ turns }) => turns.at(-1)?.outcome ?? 0);
}

/** Settings of the bootstrap for intervals. */
export interface Drawing {
  /** Unit of a single group that is resampled as a whole. Default: the rollout. */
  readonly clusterOf?: (turn: MeasuredTurn) => number;
  /** Number of bootstrap draws. */
  readonly draws?: number;
}

/** Compares the rules with the measured advantages, and returns the report. */
export function truthReport(
  { environment, controls, seed }: World & { readonly seed: number },
  plan: TruthPlan,
  counted: Pick<TruthReport, 'drawn' | 'histories' | 'continuations' | 'selectedGroup'>,
  groups: readonly MeasuredGroup[],
  gradients?: GradientReport,
  { clusterOf = ({ rollout }) => rollout, draws }: Drawing = {},
): TruthReport {
  const steps = groups.flatMap(({ turns }, group) =>
    turns.map((turn): Step => {
      const advantages = plan.rules.map((name) => turn.rules[name] ?? NaN);
      return { cluster: groups.length > 1 ? group : clusterOf(turn), truth: turn.advantage, advantages };
    }),
  );
  const results = agreements(steps, plan.rules.length, seed, draws);
  return {
    plan,
    ...counted,
    precision: precision(steps),
    resampled: groups.length > 1 ? 'groups' : 'rollouts',
    rules: plan.rules.map((name, index) => {
      const rule = findRule(name);
      return { rule: name, parameters: runParameters(rule, controls, environment.maxTurns), ...results[index] };
    }),
    ...(gradients ? { gradients } : {}),
    groups,
  };
}

/** Part of a measurer that measures true advantages: it samples and computes gradients, and does not train. */
export type TruthSampler = Omit<TruthMeasurer, 'step'>;
