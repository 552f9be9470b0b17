import type { Status } from '../../training/data/protocol.ts';
import type { Panel } from '../address/panels.ts';

/** Texts of what is around the panels: the list of them, answers to buttons, and pages inside pages. */
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
      truth: 'Truth: what turns were worth',
      python: 'Python',
      log: 'Event log',
      runs: 'Runs on this device',
      share: 'Share and export',
      words: 'Words and rules',
    },
  },
  /** What stands where the first point of a curve will be, while nothing was trained yet. */
  noPoint: {
    loading: 'The run is being loaded.',
    warming: 'The warm start comes first: its progress stands above.',
    playing: 'The first update is on its way.',
    measuring: 'A measurement is going on. The first point comes with the first update.',
    paused: 'Nothing is trained yet. Press Play.',
    hidden: 'Paused while this tab is hidden.',
    recovering: 'The GPU device is being opened again.',
    stopped: 'The run has stopped before its first update. The message above says why.',
  } satisfies Record<Status, string> as Readonly<Record<Status, string>>,
  /** What downloads are answered with. */
  saved: {
    curves: (file: string, steps: number) =>
      `${file} was given to your browser: ${steps === 1 ? '1 step' : `${steps} steps`}.`,
    noCurves: 'There is no curve to save yet: the first point comes with the first update.',
    group: (file: string, step: number) => `${file} was given to your browser: the group of step ${step}.`,
    noGroup: 'There is no group to save yet: the first one comes with the first update.',
    waiting: 'The run is saved as a file as soon as the update at work is done.',
    run: (file: string) => `${file} was given to your browser.`,
  },
  notLoaded: (reason: string) => `The panels below the curves could not be loaded: ${reason}. Load the page again.`,
  opened: (name: string, step: number) => `${name} is open, paused at step ${step}.`,
  panels: {
    /** The last ticked panel was unticked. */
    last: (name: string) => `${name} is the last panel shown, so it stays. Tick another one first.`,
  },
  embed: {
    title: 'Show it inside another page',
    caption: 'A frame with this run and the panels ticked above, without the introduction. This page stays as it is.',
    code: 'Code of the frame',
    copy: 'Copy the code',
    look: 'Look at it alone',
    copied: 'The code is in the clipboard. Paste it into the HTML of the other page.',
    copyFailed: 'The clipboard is not allowed here. The code is selected instead: copy it by hand.',
    frameTitle: 'Turnwise',
    full: 'Open the full page',
  },
} as const;

/** Where the list of panels leads; the panels of a link are places of their own but for the two kinds of charts. */
export type Target = keyof typeof shellStrings.contents.targets;

/** The target at which a panel is found. */
export function targetOf(panel: Panel): Target {
  return panel === 'chart' ? 'curves' : panel;
}
