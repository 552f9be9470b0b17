/** Texts about saved runs, in this tab and in other tabs. */
export const savedRunStrings = {
  removed: (name: string) => `${name} was deleted.`,
  removedCurrent: (name: string) =>
    `${name} was deleted. It continues here, but it is no longer saved. “Save this run” saves it again.`,
  removedElsewhere: (name: string) =>
    `${name} was deleted in another tab. It continues here, but it is no longer saved. “Save this run” saves it again.`,
  deletedElsewhere: (name: string) => `${name} was deleted in another tab.`,
  save: 'Save this run',
  savedNotice: 'The run is saved again.',
  elsewhere: (step: number) =>
    `Another tab continues this run. In this tab, the run is paused at step ${step}. If you train it here, ` +
    'you train a copy, which is saved separately. If the other tab is closed, this tab continues the run.',
  copied: (step: number) =>
    `Another tab continues this run. The updates trained here, up to step ${step}, are saved as a separate run.`,
  copying: (step: number) =>
    `Another tab continues this run. From step ${step} on you train a copy, which is saved separately.`,
  continuedHere: (step: number) => `The other tab is closed. This tab continues the run at step ${step}.`,
  download: {
    late: (step: number) => `The run has stopped. The file contains its last stored state, step ${step}.`,
    none: 'The run stopped before a state was stored, so there is no file.',
    replaced: 'Another run began before the state of this one was stored, so there is no file.',
    notStored: 'The updates of the run are no longer stored, so there is no file.',
    downsampled: (every: number, before: number) =>
      `Before step ${before} the file contains about one update in ${every}, because the others were not stored.`,
    partly: (reason: string) => `The stored updates could not be read (${reason}).`,
  },
} as const;
