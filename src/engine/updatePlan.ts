import { memberCounts, normalizeBatch } from '../credit/arithmetic/normalize.ts';
import { type Credit, type CreditRule, isOfTurns } from '../credit/rule.ts';
import type { ReportLine, TokenLine } from '../objective/objective.ts';
import type { ObjectiveWeights } from '../objective/surrogate.ts';
import type { ParameterValues } from '../parameters/parameters.ts';
import type { Sequence } from '../policy/batch.ts';
import { ADAMW, type AdamWStep } from '../policy/optimizer.ts';
import type { Group } from '../rollouts/forest.ts';
import { addToTurns, type RolloutBatch } from '../rollouts/rolloutBatch.ts';

/** Inputs of the credit of a batch. */
export interface CreditPlan {
  readonly batch: RolloutBatch;
  readonly rule: CreditRule;
  /** Values of the rule's parameters. */
  readonly parameters: ParameterValues;
  /** Credit of the batch in float64. */
  readonly exact: GroupCredit;
  /** Sequences for the critic; undefined under rules without a critic. */
  readonly critic: CriticCreditPlan | undefined;
}

/** Sequences that a critic values before an update, at all tokens with a weight. */
export interface CriticCreditPlan {
  readonly valued: readonly Sequence[];
}

/** Part of an update that concerns the critic. */
export interface CriticPlan extends CriticCreditPlan {
  /**
   * Minibatches of the critic, one before each step of the policy. They equal the policy's minibatches if the critic
   * learns at every token.
   */
  readonly minibatches: readonly (readonly Sequence[])[];
}

/** Inputs of one update. */
export interface UpdatePlan extends CreditPlan {
  readonly controls: ParameterValues;
  /** Sequences on which the KL to the reference is measured. */
  readonly reference: readonly Sequence[];
  /** Minibatches of the policy in the order of their steps, epoch after epoch; empty if no turn is trained on. */
  readonly minibatches: readonly (readonly Sequence[])[];
  readonly critic: CriticPlan | undefined;
  /** False while the policy waits for its critic and takes no steps. */
  readonly learns: boolean;
  /** Share of the batch's turns that are trained on, 0 to 1. */
  readonly retained: number;
}

/** Sums of the losses of an update. */
export interface ReportLines {
  /** KL(policy || reference) on the sampled tokens of the batch, before the update. */
  readonly reference: ReportLine;
  /** Steps of the policy; empty while the policy waits for its critic. */
  readonly minibatches: readonly ReportLine[];
  /** Explained variance and steps of the critic; absent under rules without a critic. */
  readonly critic?: TokenLine & { readonly minibatches: readonly ReportLine[] };
}

/** Results of an update. */
export interface UpdateReport extends ReportLines {
  readonly credit: UsedCredit;
  /** Share of the batch's turns that were trained on, 0 to 1. */
  readonly retained: number;
  /** Digest of the parameters after the update, including the critic's; null if the bits depend on the device. */
  readonly parameterDigest: number | null;
  /** CPU time of recording the update [ms]. */
  readonly encodeMs: number;
  /** Time of the credit, including the critic's values [ms]; null if the device has no timestamps. */
  readonly creditMs: number | null;
  /** Time of the rest of the update [ms]; null if the device has no timestamps. */
  readonly optimizeMs: number | null;
}

// Settings of the losses and steps of an update, from the controls of a run.

/** Returns the weights of the terms of the policy's loss. The critic has a separate loss. */
export function objectiveWeights(controls: ParameterValues): ObjectiveWeights {
  const number = (name: string) => controls[name] as number;
  return {
    clipLow: number('clipLow'),
    clipHigh: number('clipHigh'),
    klCoef: number('klCoef'),
    entropyCoef: number('entropyCoef'),
    valueCoef: 0,
    valueClip: 0,
  };
}

/**
 * Returns the policy's learning rate at an update. It rises linearly over the first `warmUp` updates of a run; the last
 * of them has the full rate.
 * @param step number of earlier updates
 */
export function learningRate({ learningRate: rate, warmUp = 0 }: ParameterValues, step: number): number {
  return warmUp === 0 ? (rate as number) : (rate as number) * Math.min(1, (step + 1) / (warmUp as number));
}

/** Returns the settings of a step of the policy: weights of the loss, true for shared ratios, and the step of AdamW. */
export function policySettings({ controls, batch }: Pick<UpdatePlan, 'controls' | 'batch'>, betas: Betas) {
  return {
    weights: objectiveWeights(controls),
    shared: (controls.ratio ?? 'token') !== 'token',
    step: adamwStep(controls, betas, learningRate(controls, batch.step)),
  };
}

/**
 * Returns the settings of a step of the critic: the maximum distance of a value from its value at sampling, Infinity
 * without a limit, and the step of AdamW.
 */
export function criticSettings({ controls }: Pick<UpdatePlan, 'controls'>, betas: Betas) {
  const { valueClip, criticRate } = controls;
  return {
    valueClip: valueClip === 0 ? Infinity : (valueClip as number),
    step: adamwStep(controls, betas, criticRate as number),
  };
}

/** β₁ and β₂ of AdamW. */
type Betas = readonly [number, number];

function adamwStep({ clipNorm }: ParameterValues, [beta1, beta2]: Betas, learningRate: number): AdamWStep {
  return { ...ADAMW, beta1, beta2, learningRate, clipNorm: clipNorm as number };
}

// Credit of a batch, as used in an update.

/** Credit in float64, computed per group of a batch. */
export interface GroupCredit {
  /**
   * Computes the credit of a group. @param group index in the batch @throws {CreditError} if the rule cannot read the
   * group
   */
  of(group: number, rule: CreditRule): Credit;
}

/** Advantages of a batch under a rule, as used in an update. */
export interface UsedCredit {
  /** Advantage of each turn [turns of the forest]; under a token rule, the mean over the turn's tokens. */
  readonly turns: Float32Array;
  /** Advantage of each policy token [policy tokens], turn by turn. Absent under rules with one advantage per turn. */
  readonly tokens?: Float32Array;
  /**
   * Critic's value at each token before the update [policy tokens]. If the tokens of a turn share their advantage, they
   * also share the value before the turn. Absent without a critic.
   */
  readonly values?: Float32Array;
}

/**
 * Computes the advantages of a rule with one advantage per turn [turns]: float64 rounded to float32, 0 for pruned
 * turns. They are normalised over the batch if the rule requires it.
 */
export function turnAdvantages(
  { groups }: Pick<RolloutBatch, 'groups'>,
  rule: CreditRule,
  exact: GroupCredit,
): Float32Array<ArrayBuffer> {
  const known = (value: number) => (Number.isNaN(value) ? 0 : value);
  const advantages = groups.flatMap((_, group) => Array.from(exact.of(group, rule).advantage, known));
  return Float32Array.from(rule.batch ? normalizeBatch(advantages, memberCounts(groups, rule.batch)) : advantages);
}

/** Returns the number of advantages of a batch under a rule. */
export function creditCount({ forest, policyTokens }: RolloutBatch, { unit }: CreditRule): number {
  return unit === 'token' ? policyTokens : forest.parent.length;
}

/**
 * Returns the credit of a batch from its advantages.
 * @param advantages [turns] or [policy tokens], by the rule's unit
 * @param values [policy tokens] values of a critic; the first token of a turn has the value before the turn
 */
export function usedCredit(
  batch: RolloutBatch,
  rule: CreditRule,
  advantages: Float32Array,
  values?: Float32Array,
): UsedCredit {
  if (rule.unit === 'turn') return { turns: advantages };
  const turns = new Float32Array(batch.forest.parent.length);
  let token = 0;
  for (const { turnOf, turns: written } of batch.rollouts) {
    const counts = new Uint32Array(written.length);
    for (const turn of turnOf) {
      if (turn < 0) continue;
      turns[written[turn].forestTurn] += advantages[token++];
      counts[turn]++;
    }
    written.forEach(({ forestTurn }, turn) => {
      turns[forestTurn] /= counts[turn];
    });
  }
  return { turns, tokens: advantages, ...(values ? { values: alignCriticValues(batch, rule, values) } : {}) };
}

/**
 * Returns the values of a critic for all policy tokens. If the tokens of a turn share their advantage, they have the
 * value before the turn.
 * @param values [policy tokens]
 */
export function alignCriticValues(
  { rollouts }: Pick<RolloutBatch, 'rollouts'>,
  rule: CreditRule,
  values: Float32Array,
): Float32Array {
  if (!isOfTurns(rule)) return values;
  const displayed = values.slice();
  let token = 0;
  for (const { turnOf } of rollouts) {
    for (const [at, turn] of turnOf.entries()) {
      if (turn < 0) continue;
      if (turnOf[at - 1] === turn) displayed[token] = displayed[token - 1];
      token++;
    }
  }
  return displayed;
}

/**
 * Splits numbers of the policy tokens of a batch into one list per turn of the forest.
 * @param perToken [policy tokens]
 */
export function byTurn({ groups }: RolloutBatch, perToken: Float32Array): number[][] {
  let token = 0;
  return groups.flatMap(({ turns }) =>
    turns.map(({ tokens = 0 }) => {
      token += tokens;
      return Array.from(perToken.subarray(token - tokens, token));
    }),
  );
}

/**
 * Returns a batch with the critic's values at the tokens of each turn, as token rules read them.
 * @param perToken [policy tokens]
 */
export function withValues<Batch extends RolloutBatch>(batch: Batch, perToken: Float32Array): Batch {
  const values = byTurn(batch, perToken);
  return addToTurns(batch, (turn) => ({ values: values[turn] }));
}

/** Returns a group with the critic's values at the tokens of each turn. @param values [turns or more] */
export function valued(group: Group, values: readonly (readonly number[])[]): Group {
  return { ...group, turns: group.turns.map((turn, index) => ({ ...turn, values: values[index] })) };
}
