/** Texts of the navigation between places. */
export const placeStrings = {
  label: 'Places',
  places: { play: 'Playground', learn: 'Lessons', inspect: 'Inspector' },
  titles: { play: undefined, learn: 'Lessons · Turnwise', inspect: 'Inspector · Turnwise' },
  loading: 'The lessons are being loaded.',
  notLoaded: (reason: string) => `The lessons could not be loaded: ${reason}.`,
  again: 'Try again',
  inspect: {
    title: 'Inspector',
    lead: 'Rollouts from a file, or the group of your run, under every credit rule. What turns were really worth. Python of your own.',
    /** What the run of the Playground does meanwhile. */
    run: 'The run of the',
    link: 'Playground',
  },
} as const;
