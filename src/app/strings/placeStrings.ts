/** Texts of the navigation between places. */
export const placeStrings = {
  label: 'Places',
  places: { play: 'Playground', learn: 'Lessons', lab: 'Lab', challenge: 'Challenge', inspect: 'Inspector' },
  titles: {
    play: undefined,
    learn: 'Lessons · Turnwise',
    lab: 'Lab · Turnwise',
    challenge: 'The challenge · Turnwise',
    inspect: 'Inspector · Turnwise',
  },
  loading: {
    learn: 'The lessons are being loaded.',
    lab: 'The Lab is being loaded.',
    challenge: 'The challenge is being loaded.',
  },
  notLoaded: {
    learn: (reason: string) => `The lessons could not be loaded: ${reason}.`,
    lab: (reason: string) => `The Lab could not be loaded: ${reason}.`,
    challenge: (reason: string) => `The challenge could not be loaded: ${reason}.`,
  },
  again: 'Try again',
  inspect: {
    title: 'Inspector',
    lead: 'Rollouts from a file, or the group of your run, under every credit rule. What turns were really worth. Python of your own.',
    /** What the run of the Playground does meanwhile. */
    run: 'The run of the',
    link: 'Playground',
  },
} as const;
