import { allowed, type Parameter } from '../../parameters/parameters.ts';
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
    group: (file: string, update: string) => `Saved as ${file}: the group of the run, ${update}.`,
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

/** Texts of the navigation between views. */
export const viewStrings = {
  label: 'Pages',
  views: {
    play: 'Playground',
    learn: 'Lessons',
    lab: 'Lab',
    challenge: 'Challenge',
    inspect: 'Inspector',
    python: 'Python',
  },
  titles: {
    play: undefined,
    learn: 'Lessons · Turnwise',
    lab: 'Lab · Turnwise',
    challenge: 'The challenge · Turnwise',
    inspect: 'Inspector · Turnwise',
    python: 'Python · Turnwise',
  },
  loading: {
    learn: 'Loading the lessons.',
    lab: 'Loading the Lab.',
    challenge: 'Loading the challenge.',
  },
  notLoaded: {
    learn: (reason: string) => `The lessons could not be loaded: ${reason}.`,
    lab: (reason: string) => `The Lab could not be loaded: ${reason}.`,
    challenge: (reason: string) => `The challenge could not be loaded: ${reason}.`,
  },
  again: 'Try again',
  inspect: {
    title: 'Inspector',
    lead: 'Rollouts from a file, or the group of your run, under every credit rule.',
    /** Text before the link to the Playground and the state of its run. */
    run: 'Run of the',
    link: 'Playground',
    python: 'Python sandbox',
  },
} as const;

/** Notices about unknown or invalid parts of an address. */
export const urlStrings = {
  version: (version: string, known: number) =>
    `This link has version “${version.slice(0, 20)}”, but this page supports version ${known}: the link was ` +
    `ignored and the defaults are used.`,
  unknownEnvironment: (name: string, known: string) =>
    `“environment”: “${name}” is unknown (known: ${known}); the first is used.`,
  unknownWorld: (name: string, known: string) => `“world”: “${name}” is unknown (known: ${known}).`,
  unknownEngine: (key: string, name: string) =>
    `${key}: “${name}” is unknown; the engines are exact and wgsl. The page selects one.`,
  unknownKey: (key: string) => `“${key.slice(0, 40)}” is unknown and was ignored.`,
  unknownChange: (key: string, step: number) => `at ${step}: “${key}” is not a control and was ignored.`,
  unknownPanel: (panel: string, known: string) => `panels: “${panel}” was ignored; known are ${known}.`,
  badEntry: (entry: string) => `at: “${entry}” was ignored; an entry looks like 60:rule=grpo-or.`,
  longSchedule: (key: string, limit: number) => `${key}: only the first ${limit} entries were read.`,
  manyRuns: (limit: number) => `runs: a page trains ${limit} runs at a time; the others were ignored.`,
  repeated: (key: string) => `“${key.slice(0, 40)}” is given twice; the first value is used.`,
  more: (count: number) => `${count} more parts of this link were ignored or changed.`,
  clamped: (key: string, given: string, used: string, parameter: Parameter) =>
    `${key}: “${given}” is not ${allowed(parameter)}; ${used} is used.`,
} as const;
