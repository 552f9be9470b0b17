import type { Rollout, RolloutBatch } from './rolloutBatch.ts';

/**
 * The rollouts of a group as a reader wants them: one that continues a turn of another sequence has the turns before it too,
 * and a sequence that others continue is in those. Where none branches they are what they are.
 * @param rollouts all of a group, each of which goes on with the tokens that it continues (not from fresh prompts)
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
