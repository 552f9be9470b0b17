import type { CreditRule } from '../../credit/rule.ts';
import { ruleValues } from '../../credit/ruleFacts.ts';
import type { UsedCredit } from '../../engine/usedCredit.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Rollout, RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/** Returns the parameter values of a rule in a run: from its controls, and `maxTurns` from the environment. */
export function runParameters(rule: CreditRule, controls: ParameterValues, maxTurns: number): ParameterValues {
  const values = ruleValues(rule, controls);
  return rule.parameters.some(({ name }) => name === 'maxTurns') ? { ...values, maxTurns } : values;
}

/**
 * Returns the credit of turns. If a token of turn 1 decides, the turn has the advantage of this token. Under a token
 * rule, it differs from the mean over the turn.
 * @param index returns the index of the deciding token among the tokens of turn 1; below 0 if no token decides
 * @returns [turns of the forest] equal to `turns` except for first turns with a deciding token
 */
export function decidingCredit(
  { rollouts }: Pick<RolloutBatch, 'rollouts'>,
  { turns, tokens }: Pick<UsedCredit, 'turns' | 'tokens'>,
  index: (first: readonly number[]) => number,
): Float32Array {
  if (!tokens) return turns;
  const deciding = turns.slice();
  let start = 0;
  for (const { tokens: written, turnOf, turns: rolloutTurns } of rollouts) {
    const at = index(Array.from(written).filter((_, position) => turnOf[position] === 0));
    if (at >= 0) deciding[rolloutTurns[0].forestTurn] = tokens[start + at];
    start += turnOf.reduce((count, turn) => count + Number(turn >= 0), 0);
  }
  return deciding;
}

/**
 * Returns the position of each token's advantage. It is the index of its turn or, under a token rule, its index among
 * the policy tokens of the batch. It is 0 at environment tokens, which the loss masks.
 * @returns [tokens] positions by rollout
 */
export function mapCreditPositions({ rollouts }: RolloutBatch, { unit }: CreditRule): ReadonlyMap<Rollout, Int32Array> {
  let token = 0;
  const expandRollout = ({ turnOf, turns }: Rollout) =>
    turnOf.map((turn) => {
      if (turn < 0) return 0;
      return unit === 'token' ? token++ : turns[turn].forestTurn;
    });
  return new Map(rollouts.map((rollout) => [rollout, expandRollout(rollout)]));
}
