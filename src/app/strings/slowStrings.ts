/** Texts of the walk through one update in slow motion. */
export const slowStrings = {
  start: 'Slow motion',
  startHelp: 'Runs one update and shows its parts: sample, reward, compare, credit, update',
  title: (step: number, group: number) => `Update ${step + 1} in slow motion, group ${group}`,
  waiting: 'One update is running.',
  steps: 'Parts of the update',
  back: 'Back',
  next: 'Next',
  play: 'Play slow motion',
  pause: 'Pause slow motion',
  again: 'Another update',
  close: 'Close',
  rollout: 'Rollout',
  turn: (number: number) => `Turn ${number}`,
  turnReward: 'Rᴵ',
  outcome: 'Rᴼ',
  advantage: (number: number) => `Advantage of turn ${number}`,
  push: (number: number) => `Probability ratio of turn ${number} after the update`,
  mean: 'mean',
  nothing: 'total',
  names: { sample: 'Sample', reward: 'Reward', compare: 'Compare', credit: 'Credit', push: 'Update' },
  texts: {
    sample: (turn: number, rollouts: number) =>
      turn === 1
        ? `The policy answers the same question ${rollouts} times. The first turn of each rollout is sampled separately.`
        : `Turn ${turn} continues after the first ${turn === 2 ? 'turn' : 'turns'}.`,
    reward: 'Each rollout is rewarded: Rᴵ for the turns before the last, Rᴼ for its outcome. No turn has credit yet.',
    compare: (rule: string) =>
      `${rule} compares each rollout with the mean of its group. If all rewards are equal, there is no gradient.`,
    compareCritic: 'A critic predicts the return at each token. The means of the group are shown for comparison.',
    credit: (rule: string, positive: number, negative: number, none: number) =>
      `${rule} gives every turn its advantage: ${positive} ${positive === 1 ? 'turn is' : 'turns are'} made more likely, ` +
      `${negative} less likely, ${none} ${none === 1 ? 'has' : 'have'} no advantage.`,
    push: (followed: number, of: number) =>
      `The optimiser changed the weights: the probability of ${followed} of ${of} turns changed in the direction of their advantage. ` +
      'All groups of the batch contribute to one small step, so some turns change in the opposite direction.',
  },
  times: (ratio: string) => `× ${ratio}`,
  probability: (before: string, after: string) => `Probability of the tokens: ${before} → ${after}`,
} as const;
