import type { Rollout, RolloutBatch } from './rolloutBatch.ts';

/**
 * Returns the rollouts of a group as whole rollouts. A rollout that continues a turn of another sequence has the turns
 * before it too. A sequence that others continue is part of those rollouts. If no rollout branches, the rollouts stay
 * as they are.
 * @param rollouts all of a group, each of which continues with the tokens that it follows (not from fresh prompts)
 */
export function wholeRollouts(
  rollouts: readonly Rollout[],
  { parent }: Pick<RolloutBatch['forest'], 'parent'>,
): readonly Rollout[] {
  const sequenceOf = new Map(rollouts.flatMap((own) => own.turns.map(({ forestTurn }) => [forestTurn, own] as const)));
  const before = ({ turns: [first] }: Rollout) => sequenceOf.get(parent[first.forestTurn]);
  const continued = new Set(rollouts.map(before));
  const whole = (own: Rollout): Rollout => {
    const earlier = before(own);
    if (!earlier) return own;
    const begun = whole(earlier);
    const { length } = begun.tokens;
    const joined = (first: Float32Array, rest: Float32Array) =>
      rest.map((value, at) => (at < length ? first[at] : value));
    return {
      ...own,
      turnOf: own.turnOf.map((turn, at) => {
        if (at < length) return begun.turnOf[at];
        return turn < 0 ? turn : turn + begun.turns.length;
      }),
      logProb: joined(begun.logProb, own.logProb),
      entropy: joined(begun.entropy, own.entropy),
      turns: [...begun.turns, ...own.turns],
      toolProbability: begun.toolProbability,
    };
  };
  return rollouts.filter((own) => !continued.has(own)).map(whole);
}
