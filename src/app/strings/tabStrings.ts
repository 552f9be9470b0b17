/** Names of the tabs below the first screen. */
export const tabStrings = {
  label: 'Details of the run',
  names: {
    group: 'This group',
    rewards: 'Rewards',
    charts: 'All charts',
    compare: 'Compare runs',
    log: 'Event log',
    rule: 'Your rule',
    runs: 'Saved runs',
    glossary: 'Glossary',
  },
  share: 'Share',
  /** Button of the guided tour. */
  tour: 'Start tour (60 s)',
} as const;
