/** Texts about recorded runs; part of the catalogue (strings.ts). */
export const recordingStrings = {
  cannot: 'This is a recording: it can be played, paused and stepped through, not changed.',
  title: (preset: string) => `Recording: ${preset}`,
  /** What there is to watch, where the sentence of an environment speaks of training. */
  leads: {
    search:
      'A tiny agent may call a search tool before it answers. Watch whether it keeps the tool under one credit rule or another.',
  } as Readonly<Record<string, string>>,
  slider: 'Step of the recording',
  position: (step: number, steps: number) => `step ${step} of ${steps}`,
  ended: (steps: number) => `step ${steps} of ${steps}, the end`,
  announceEnded: (steps: number) => `The recording has ended after ${steps} steps.`,
  train: 'Train it yourself',
  watch: 'Watch the recording',
  notPlayed: (preset: string, missing: readonly string[]) =>
    `The link asks for another run than this recording of “${preset}”. Not played: ${missing.join('; ')}.`,
  /** What a link asks for and a recording is not. */
  differences: {
    environment: (title: string) => `the environment ${title}`,
    rule: (rule: string) => `the rule ${rule}`,
    seed: (seed: number) => `seed ${seed}`,
    change: (step: number, label: string, value: string) => `from step ${step} on ${label} ${value}`,
    noChange: 'no change on the way',
    value: (label: string, value: string) => `${label} ${value}`,
    /** Of one of several runs, where the others do not lack it. */
    ofRun: (number: number, what: string) => `${what} (run ${number})`,
    /** A run beside the first, which is not there at all; what it has otherwise than the first. */
    run: (number: number, otherwise: readonly string[]) =>
      otherwise.length > 0 ? `run ${number} (${otherwise.join(', ')})` : `run ${number}`,
  },
  oldBrowser: 'this browser cannot unpack recordings; a newer version can',
  damaged: 'it is damaged and cannot be unpacked',
} as const;
