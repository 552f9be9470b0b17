import { type Credit, type CreditRule, isOfTurns } from '../../credit/rule.ts';
import { ruleValues } from '../../credit/telling/ruleControls.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { Rollout, RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/** The values of a rule's parameters in a run: from its controls; the turns that there may be are the environment's. */
export function runParameters(rule: CreditRule, controls: ParameterValues, maxTurns: number): ParameterValues {
  const values = ruleValues(rule, controls);
  return rule.parameters.some(({ name }) => name === 'maxTurns') ? { ...values, maxTurns } : values;
}

/** What a rule said about a batch, as the update used it. */
export interface UsedCredit {
  /** [turns of the forest]; under a token rule the mean over the turn's tokens. */
  readonly turns: Float32Array;
  /** [policy tokens], turn by turn; absent under rules whose turns have one advantage. */
  readonly tokens?: Float32Array;
  /**
   * [policy tokens] the critic's value at each of them before the update, which they were made from; under a rule whose
   * tokens share their advantage that before their turn.
   */
  readonly values?: Float32Array;
}

/**
 * [turns] the advantages of a rule that is worked out on the host: float64 rounded to float32, 0 where it pruned the turn.
 * Undefined for a rule of the GPU.
 */
export function givenAdvantages(
  { groups }: Pick<RolloutBatch, 'groups'>,
  rule: CreditRule,
  exact: { of(group: number, rule: CreditRule): Credit },
): Float32Array<ArrayBuffer> | undefined {
  if (!rule.given) return undefined;
  const known = (value: number) => (Number.isNaN(value) ? 0 : value);
  return Float32Array.from(groups.flatMap((_, group) => Array.from(exact.of(group, rule).advantage, known)));
}

/** How many advantages a batch has under a rule. */
export function creditCount({ forest, policyTokens }: RolloutBatch, { unit }: CreditRule): number {
  return unit === 'token' ? policyTokens : forest.parent.length;
}

/**
 * The credit of a batch from the advantages that the GPU used.
 * @param values of the critic, where there is one; those before turns stand at their first tokens
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
  for (const { turnOf, turns: own } of batch.rollouts) {
    const counts = new Uint32Array(own.length);
    for (const turn of turnOf) {
      if (turn < 0) continue;
      turns[own[turn].forestTurn] += advantages[token++];
      counts[turn]++;
    }
    own.forEach(({ forestTurn }, turn) => {
      turns[forestTurn] /= counts[turn];
    });
  }
  return { turns, tokens: advantages, ...(values ? { values: shownValues(batch, rule, values) } : {}) };
}

/**
 * The critic's values as they are told: under a rule whose tokens share their advantage all tokens of a turn have that before it.
 * @param values [policy tokens]
 */
export function shownValues(
  { rollouts }: Pick<RolloutBatch, 'rollouts'>,
  rule: CreditRule,
  values: Float32Array,
): Float32Array {
  if (!isOfTurns(rule)) return values;
  const shown = values.slice();
  let token = 0;
  for (const { turnOf } of rollouts) {
    for (const [at, turn] of turnOf.entries()) {
      if (turn < 0) continue;
      if (turnOf[at - 1] === turn) shown[token] = shown[token - 1];
      token++;
    }
  }
  return shown;
}

/**
 * What decided turn 1 in each rollout, where one of its tokens did: under a token rule that token's own advantage, which
 * the mean over the turn hides.
 * @param index of the token that decides among those of turn 1; below 0 where none does
 * @returns [turns of the forest] as `turns` but for these first turns
 */
export function decidingCredit(
  { rollouts }: Pick<RolloutBatch, 'rollouts'>,
  { turns, tokens }: Pick<UsedCredit, 'turns' | 'tokens'>,
  index: (first: readonly number[]) => number,
): Float32Array {
  if (!tokens) return turns;
  const deciding = turns.slice();
  let start = 0;
  for (const { tokens: written, turnOf, turns: own } of rollouts) {
    const at = index(Array.from(written).filter((_, place) => turnOf[place] === 0));
    if (at >= 0) deciding[own[0].forestTurn] = tokens[start + at];
    start += turnOf.reduce((count, turn) => count + Number(turn >= 0), 0);
  }
  return deciding;
}

/**
 * What is known of every policy token of a batch, a list for each turn of the forest: tokens stand turn by turn.
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
 * A batch with the critic's values at the tokens of each turn, as token rules read them.
 * @param perToken [policy tokens]
 */
export function withValues<Batch extends RolloutBatch>(batch: Batch, perToken: Float32Array): Batch {
  const values = byTurn(batch, perToken);
  const { forest } = batch;
  const groups = batch.groups.map((group, index) => valued(group, values.slice(forest.groupOffset[index])));
  return { ...batch, groups, forest: { ...forest, groups } };
}

/** A group with the critic's values at the tokens of each turn. @param values [turns or more] */
export function valued(group: Group, values: readonly (readonly number[])[]): Group {
  return { ...group, turns: group.turns.map((turn, index) => ({ ...turn, values: values[index] })) };
}

/**
 * Where each token of each rollout finds its advantage: at its turn, or at its own number among the policy tokens of
 * the batch; 0 at the environment's tokens, which nobody asks.
 * @returns [tokens] of each rollout
 */
export function creditPlaces({ rollouts }: RolloutBatch, { unit }: CreditRule): ReadonlyMap<Rollout, Int32Array> {
  let token = 0;
  const place = ({ turnOf, turns }: Rollout) =>
    turnOf.map((turn) => {
      if (turn < 0) return 0;
      return unit === 'token' ? token++ : turns[turn].forestTurn;
    });
  return new Map(rollouts.map((rollout) => [rollout, place(rollout)]));
}
