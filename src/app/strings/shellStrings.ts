import type { Status } from '../../training/data/protocol.ts';

/** Texts around the panels: list of panels, results of buttons, and embedding. */
export const shellStrings = {
  contents: {
    label: 'On this page',
    button: 'Panels',
    shortcuts: 'Shortcuts',
    skip: 'Skip to the curves',
    targets: {
      curves: 'Curves',
      controls: 'Controls',
      group: 'Group of rollouts',
      rule: 'Your rule',
      inspector: 'Inspector',
      truth: 'Measured turn values',
      python: 'Python',
      log: 'Event log',
      runs: 'Saved runs',
      share: 'Share and export',
      words: 'Glossary and credit rules',
    },
  },
  /** Texts of a chart before the first update. */
  noPoint: {
    loading: 'Loading the run.',
    warming: 'The warm start runs first: see its progress above.',
    playing: 'The first update is running.',
    measuring: 'A measurement is running. The first update follows.',
    paused: 'No update yet. Press Play.',
    hidden: 'Paused while this tab is hidden.',
    recovering: 'Reopening the GPU device.',
    stopped: 'The run stopped before its first update. See the message above.',
  } satisfies Record<Status, string> as Readonly<Record<Status, string>>,
  /** Results of downloads. */
  saved: {
    curves: (file: string, steps: number) => `Saved as ${file}: ${steps === 1 ? '1 step' : `${steps} steps`}.`,
    noCurves: 'No curve to save yet: wait for the first update.',
    group: (file: string, step: number) => `Saved as ${file}: the group of step ${step}.`,
    noGroup: 'No group to save yet: wait for the first update.',
    waiting: 'The file is saved after the current update.',
    run: (file: string) => `Saved as ${file}.`,
  },
  notLoaded: (reason: string) => `The tabs could not be loaded: ${reason}. Reload the page.`,
  opened: (name: string, step: number) => `${name} is open, paused at step ${step}.`,
  panels: {
    /** Message if the user unticks the only selected panel. */
    last: (name: string) => `${name} is the only panel. Select another one first.`,
  },
  embed: {
    title: 'Embed',
    caption: 'A frame with this run and the panels selected above, for another page.',
    code: 'Embed code',
    copy: 'Copy embed code',
    preview: 'Preview',
    copied: 'Embed code copied. Paste it into the HTML of the other page.',
    copyFailed: 'The browser blocks the clipboard here. The code is selected: copy it manually.',
    frameTitle: 'Turnwise',
    full: 'Open the full page',
  },
} as const;
