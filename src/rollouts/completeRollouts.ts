import type { Rollout, RolloutBatch } from './rolloutBatch.ts';

/**
 * Returns the rollouts of a group as whole rollouts. A rollout that continues a turn of another sequence has the turns
 * before it too. A sequence that others continue is part of those rollouts. If no rollout branches, the rollouts stay
 * as they are.
 * @param rollouts all of a group, each of which continues with the tokens that it follows (not from fresh prompts)
 */
export function completeRollouts(
  rollouts: readonly Rollout[],
  { parent }: Pick<RolloutBatch['forest'], 'parent'>,
): readonly Rollout[] {
  const sequenceOf = new Map(
    rollouts.flatMap((rollout) => rollout.turns.map(({ forestTurn }) => [forestTurn, rollout] as const)),
  );
  const before = ({ turns: [first] }: Rollout) => sequenceOf.get(parent[first.forestTurn]);
  const continued = new Set(rollouts.map(before));
  const joinRollout = (rollout: Rollout): Rollout => {
    const earlier = before(rollout);
    if (!earlier) return rollout;
    const prefix = joinRollout(earlier);
    const { length } = prefix.tokens;
    const joined = (first: Float32Array, rest: Float32Array) =>
      rest.map((value, at) => (at < length ? first[at] : value));
    return {
      ...rollout,
      turnOf: rollout.turnOf.map((turn, at) => {
        if (at < length) return prefix.turnOf[at];
        return turn < 0 ? turn : turn + prefix.turns.length;
      }),
      logProb: joined(prefix.logProb, rollout.logProb),
      entropy: joined(prefix.entropy, rollout.entropy),
      turns: [...prefix.turns, ...rollout.turns],
      toolProbability: prefix.toolProbability,
    };
  };
  return rollouts.filter((rollout) => !continued.has(rollout)).map(joinRollout);
}
