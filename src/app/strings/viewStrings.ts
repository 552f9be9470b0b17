/** Texts of the navigation between views. */
export const viewStrings = {
  label: 'Pages',
  views: {
    play: 'Playground',
    learn: 'Lessons',
    lab: 'Lab',
    challenge: 'Challenge',
    inspect: 'Inspector',
    python: 'Python',
  },
  titles: {
    play: undefined,
    learn: 'Lessons · Turnwise',
    lab: 'Lab · Turnwise',
    challenge: 'The challenge · Turnwise',
    inspect: 'Inspector · Turnwise',
    python: 'Python · Turnwise',
  },
  loading: {
    learn: 'Loading the lessons.',
    lab: 'Loading the Lab.',
    challenge: 'Loading the challenge.',
  },
  notLoaded: {
    learn: (reason: string) => `The lessons could not be loaded: ${reason}.`,
    lab: (reason: string) => `The Lab could not be loaded: ${reason}.`,
    challenge: (reason: string) => `The challenge could not be loaded: ${reason}.`,
  },
  again: 'Try again',
  inspect: {
    title: 'Inspector',
    lead: 'Rollouts from a file, or the group of your run, under every credit rule.',
    /** Text before the link to the Playground and the state of its run. */
    run: 'Run of the',
    link: 'Playground',
    python: 'Python sandbox',
  },
} as const;
