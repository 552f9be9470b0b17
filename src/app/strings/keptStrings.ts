/** Texts about kept runs: what becomes of them, in this tab and in others. */
export const keptStrings = {
  removed: (name: string) => `${name} was deleted.`,
  removedCurrent: (name: string) =>
    `${name} was deleted. It goes on here, but it is no longer kept. “Keep this run” keeps it again.`,
  removedElsewhere: (name: string) =>
    `${name} was deleted in another tab. It goes on here, but it is no longer kept. “Keep this run” keeps it again.`,
  gone: (name: string) => `${name} is no longer there: it was deleted in another tab.`,
  keep: 'Keep this run',
  keptAgain: 'The run is kept again.',
  elsewhere: (step: number) =>
    `This run is open in another tab, which goes on with it. Here it stands at step ${step}. If you train here, ` +
    'you go on with a copy: it is kept as a run of its own. If the other tab is closed, this tab goes on with the run.',
  copied: (step: number) =>
    `Another tab goes on with this run. What was trained here, up to step ${step}, is kept as a run of its own.`,
  takenOver: (step: number) => `The other tab is closed. This tab goes on with the run, at step ${step}.`,
  download: {
    late: (step: number) => `The run has stopped. The file holds its last state that was handed over, step ${step}.`,
    none: 'The run stopped before it handed over a state, so there is no file of it.',
    replaced: 'Another run began before this one handed over its state, so there is no file of it.',
    gone: 'The updates of the run are not kept any more, so there is no file of it.',
    thinned: (every: number, before: number) =>
      `The file leaves out updates: before step ${before} it has about one in ${every}, because the others were not kept.`,
    partly: (reason: string) => `The updates that are kept could not be read (${reason}).`,
  },
} as const;
