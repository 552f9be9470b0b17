/** Texts of a reward model that is trained before the next update. */
export const modelStrings = {
  title: (noise: number, bias: number) =>
    `Training the turn reward model${noise > 0 || bias > 0 ? ` (noise ${noise}, bias ${bias})` : ''}`,
  why: 'The next update needs this model. It learns from pairs of turns which one is better. Then the run continues.',
  turns: (done: number, of: number) => `Sampling turns: ${done} of ${of} tasks`,
  steps: (done: number, of: number) => `Step ${done} of ${of}`,
  right: (share: string) => `${share} % of the training pairs in the correct order`,
  stop: 'Stop',
  stopHelp: 'Pauses the run. Play resumes here, unless the turn rewards have changed.',
  stopped: 'Stopped. Play resumes here.',
};
