/** Texts of a run's group whose turns are programs or tool calls. They are part of inspectorStrings. */
export const scoredGroupStrings = {
  captions: {
    programs: 'Programs for one problem, their rewards and their advantages',
    states: 'Episodes in one repository, their shared states and the credit of their steps',
  },
  judge: 'Credit rule',
  trains: (rule: string) => `${rule} (the run’s rule)`,
  same: (rule: string) => `Shown: ${rule}, the rule of the run.`,
  parametersChanged: (rule: string) => `Shown: ${rule} with other parameters than the run.`,
  differsFromRun: (displayed: string, trained: string) =>
    `Shown: ${displayed} on the same programs. The run trains with ${trained}.`,
  tree: (trained: string) => `Shown: RTMC on the same episodes. The run trains with ${trained}.`,
  treeParameters: 'Shown: RTMC with other parameters than the run.',
  leftOut: 'All rewards of this group are equal, so the update leaves it out.',
  follow: 'Reset to the run',
  followHelp: 'Use the rule, the parameters and the states of the run.',
  pausedNote: 'paused while you view it',
  used: (rule: string) => `${rule}: as used by the update.`,
} as const;
