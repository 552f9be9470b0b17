/** Texts of the picture of a group. */
export const pictureStrings = {
  region: 'Attempts',
  title: (attempts: number) => `${attempts} attempts at`,
  opening: 'before training',
  noGroup: 'The first group appears after the first update.',
  update: (number: number) => `update ${number}`,
  more: (lanes: number) => `and ${lanes} more`,
  /** Legend for boxes that show only the first letter of a text. */
  letters: (texts: readonly string[]) =>
    texts.flatMap((text) => (text.length > 1 ? [`${text.charAt(0)} ${text}`] : [])).join(', '),
  moreLikely: 'more likely',
  lessLikely: 'less likely',
  equal: (attempts: number) => `All ${attempts} equal: no learning signal.`,
  preview: (rule: string) => `Preview: ${rule}`,
  unreadable: (rule: string) => `${rule} cannot read this group.`,
  pruned: 'pruned',
  solved: 'correct',
  unsolved: 'incorrect',
  outcome: 'outcome',
  meeting: (letter: string) => `same state as other boxes ${letter}`,
  passed: (passed: number, tests: number) => `${passed} of ${tests} tests passed`,
  keys: 'Arrow keys move between the attempts. Enter opens one.',
  /** Labels for screen readers. */
  attempt: 'Attempt',
  credit: 'credit',
} as const;
