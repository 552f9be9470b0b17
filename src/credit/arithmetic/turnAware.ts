/** Weights of what TAPO pays in a turn. */
export interface TurnAware {
  /** Of a later program's reward itself. */
  readonly abs: number;
  /** Of what it gains over the program before it. */
  readonly imp: number;
  /** Of a verification's reward. */
  readonly ver: number;
}

/** The generation reward at an even place: the first program's own, then what a program gains over the one before. */
export function generationReward(rewards: readonly number[], position: number, { abs, imp }: TurnAware): number {
  if (position === 0) return rewards[0];
  return abs * rewards[position] + imp * (rewards[position] - rewards[position - 2]);
}

/**
 * Turn-aware returns of one trajectory whose turns alternate, a generation first and then its verification: R^O + R^turn
 * (Jin et al. 2025, "ReVeal", arXiv 2506.11442, TAPO). A generation reward counts in its own turn and in the verification
 * before it, a verification reward in its own turn alone.
 * @param rewards [turns] of each turn by itself: what a program passes, what a verification gets right
 * @returns [turns]
 */
export function turnAwareReturns(rewards: readonly number[], outcome: number, weights: TurnAware): number[] {
  return rewards.map((reward, position) => {
    if (position % 2 === 0) return outcome + generationReward(rewards, position, weights);
    const next = position + 1 < rewards.length ? generationReward(rewards, position + 1, weights) : 0;
    return outcome + (weights.ver * reward + next);
  });
}
