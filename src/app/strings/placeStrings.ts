/** Texts of the navigation between places. */
export const placeStrings = {
  label: 'Places',
  places: { play: 'Playground', learn: 'Lessons' },
  titles: { play: undefined, learn: 'Lessons · Turnwise' },
  loading: 'The lessons are being loaded.',
  notLoaded: (reason: string) => `The lessons could not be loaded: ${reason}.`,
  again: 'Try again',
} as const;
