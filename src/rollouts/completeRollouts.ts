import type { Rollout, RolloutBatch } from './rolloutBatch.ts';

/**
 * Joins the sequences of a group to complete rollouts, from a first turn to a leaf. A sequence that continues a turn of
 * another sequence receives the turns before it. A sequence that other sequences continue is not listed separately.
 * Returns rollouts without branches unchanged.
 * @param rollouts all sequences of the group. Each contains the tokens of the turns before it (no fresh prompts)
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
