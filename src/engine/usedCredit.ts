import { memberCounts, normalizeBatch } from '../credit/arithmetic/normalize.ts';
import { type Credit, type CreditRule, isOfTurns } from '../credit/rule.ts';
import type { Group } from '../rollouts/forest.ts';
import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';

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
  const { forest } = batch;
  const groups = batch.groups.map((group, index) => valued(group, values.slice(forest.groupOffset[index])));
  return { ...batch, groups, forest: { ...forest, groups } };
}

/** Returns a group with the critic's values at the tokens of each turn. @param values [turns or more] */
export function valued(group: Group, values: readonly (readonly number[])[]): Group {
  return { ...group, turns: group.turns.map((turn, index) => ({ ...turn, values: values[index] })) };
}
