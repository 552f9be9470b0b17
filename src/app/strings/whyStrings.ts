/** Texts of the panel about mean advantages. Its sentences are shared with the terminal. */
export const whyStrings = {
  title: (skill: string) => `Why is ${skill} changing?`,
  /** Skill in the title, for environments that do not name one. */
  skill: 'the result',
  /** Text of one reward component. */
  part: (name: string, reward: string) => `${name} ${reward}`,
  noPay: 'none',
  table: 'Mean advantages by result of the turn',
  explanation: 'result of the turn',
  share: 'share',
  compared: (rule: string) => `under ${rule}`,
  none: '–',
  moves: {
    title: 'Predicted and actual change of each update',
    caption: (agreed: number, total: number) =>
      total === 0
        ? 'No update is larger than its noise yet.'
        : `In ${agreed} of the ${total} updates that are larger than their noise, the probability changed as predicted.`,
    predicted: 'predicted change',
    followed: 'actual change',
    describe: (from: number, to: number) => `Updates ${from} to ${to}: bars up: more likely, bars down: less likely`,
    bar: (step: number, move: string, change: string) => `Update ${step}: predicted ${move}, probability ${change}`,
  },
} as const;
