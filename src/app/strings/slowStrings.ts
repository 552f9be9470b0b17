/** Texts of one update in slow motion. */
export const slowStrings = {
  start: 'Slow motion',
  startHelp: 'Does one update and walks through it: sample, reward, compare, credit, push',
  title: (step: number, group: number) => `Step ${step} in slow motion, group ${group}`,
  waiting: 'One update is being made.',
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
  push: (number: number) => `How many times as probable turn ${number} has become`,
  mean: 'mean',
  nothing: 'in all',
  names: { sample: 'Sample', reward: 'Reward', compare: 'Compare', credit: 'Credit', push: 'Push' },
  told: {
    sample: (turn: number, rollouts: number) =>
      turn === 1
        ? `The policy answers the same question ${rollouts} times. Each rollout begins with a turn of its own.`
        : `Turn ${turn} goes on from what the first ${turn === 2 ? 'turn' : 'turns'} brought.`,
    reward:
      'Each rollout is paid: Rᴵ for the turns before the last, Rᴼ for how it ends. Nobody says yet which turn deserved it.',
    compare: (rule: string) =>
      `The group is its own yardstick: ${rule} asks how far each rollout is from the mean. Where all are alike, there is nothing to learn.`,
    compareCritic: 'A critic says what was to be expected at each token; the group’s means stand here beside it.',
    credit: (rule: string, positive: number, negative: number, none: number) =>
      `${rule} gives every turn its advantage: ${positive} ${positive === 1 ? 'turn is' : 'turns are'} made more likely, ` +
      `${negative} less likely, ${none} ${none === 1 ? 'gets' : 'get'} none.`,
    push: (followed: number, of: number) =>
      `The optimiser has moved the weights: ${followed} of ${of} turns with an advantage moved the way it points. ` +
      'All groups of the batch push at once, and one step is small: some turns go the other way.',
  },
  times: (ratio: string) => `× ${ratio}`,
  probability: (before: string, after: string) => `Probability of what was written: ${before} → ${after}`,
} as const;
