/** Texts of a run's group where its turns are programs or tool calls; inspectorStrings.ts puts them into the catalogue. */
export const judgedStrings = {
  captions: {
    programs: 'Programs written for one problem: what each attempt was worth, and what was learnt from it',
    states: 'Episodes in one repository: where they meet, and which of their steps get the credit',
  },
  judge: 'Judge by',
  trains: (rule: string) => `${rule} (the run’s rule)`,
  same: (rule: string) => `Shown: the credit that the run trains with, that of ${rule}.`,
  turned: (rule: string) => `Shown: ${rule} with other parameters than those that the run trains with.`,
  other: (shown: string, trained: string) =>
    `Shown: what ${shown} would give these very programs. The run trains with ${trained}, and goes on to.`,
  tree: (trained: string) =>
    `Shown: what RTMC would give these very episodes. The run trains with ${trained}, and goes on to.`,
  treeTurned: 'Shown: RTMC as you turned it, on these very episodes. The run trains with RTMC as its controls say.',
  leftOut: 'All of it ended alike, so the update leaves this group out.',
  follow: 'As the run',
  followHelp: 'Back to the rule, the parameters and the states that the run trains with.',
  stands: 'stands while you look at it',
  used: (rule: string) => `${rule}: as the update used it.`,
} as const;
