/** Texts of a reward model that is trained before the run can go on. */
export const modelStrings = {
  title: (noise: number, bias: number) =>
    `The model that pays turns${noise > 0 || bias > 0 ? ` (noise ${noise}, bias ${bias})` : ''} is trained`,
  why: 'The next update needs it, and this world has none yet. It learns from pairs of turns which one is better. Then the run goes on.',
  turns: (done: number, of: number) => `Turns to learn from: ${done} of ${of} tasks played`,
  steps: (done: number, of: number) => `Step ${done} of ${of}`,
  right: (share: string) => `${share} % of the pairs in the order that it was told`,
  stop: 'Stop',
  stopHelp: 'Pauses the run. Play goes on from here, unless the rewards of turns have changed.',
  stopped: 'Stopped. Play goes on from here.',
};
