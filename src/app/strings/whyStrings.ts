/** Texts of the panel that says what turns were paid; its sentences are those of the terminal. */
export const whyStrings = {
  title: 'Why does it rise or fall?',
  /** Of one line. */
  part: (name: string, paid: string) => `${name} ${paid}`,
  noPay: 'none',
  table: 'What was paid, by what came of it: mean advantages',
  what: 'what came of it',
  share: 'share',
  compared: (rule: string) => `under ${rule}`,
  none: '–',
  moves: {
    title: 'Where each update pushed, and what followed',
    caption: (agreed: number, told: number) =>
      told === 0
        ? 'No update tells more than its noise yet.'
        : `In ${agreed} of the ${told} updates that tell more than their noise, the probability went the way that was predicted.`,
    predicted: 'predicted move',
    followed: 'change that followed',
    describe: (from: number, to: number) => `Steps ${from} to ${to}: a bar up is towards it, a bar down away from it`,
    bar: (step: number, move: string, change: string) => `Step ${step}: predicted ${move}, probability ${change}`,
  },
} as const;
