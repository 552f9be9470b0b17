/** Weights of the turn rewards of TAPO. */
export interface TurnAware {
  /** Weight of the reward of a later program. */
  readonly abs: number;
  /** Weight of the increase of the reward over the previous program. */
  readonly imp: number;
  /** Weight of the reward of a verification. */
  readonly ver: number;
}

/**
 * Returns the generation reward at an even position: the first program's reward, or the weighted reward and its
 * increase.
 */
export function generationReward(rewards: readonly number[], position: number, { abs, imp }: TurnAware): number {
  if (position === 0) return rewards[0];
  return abs * rewards[position] + imp * (rewards[position] - rewards[position - 2]);
}

/**
 * Computes the turn-aware returns R^O + R^turn of one trajectory (Jin et al. 2025, "ReVeal", arXiv 2506.11442, TAPO).
 * Turns alternate: a generation, then its verification. A generation reward counts in its turn and in the verification
 * before it. A verification reward counts only in its turn.
 * @param rewards [turns] reward of each turn alone: of its program, or of its verification
 * @returns [turns]
 */
export function turnAwareReturns(rewards: readonly number[], outcome: number, weights: TurnAware): number[] {
  return rewards.map((reward, position) => {
    if (position % 2 === 0) return outcome + generationReward(rewards, position, weights);
    const next = position + 1 < rewards.length ? generationReward(rewards, position + 1, weights) : 0;
    return outcome + (weights.ver * reward + next);
  });
}
