import { allowed, type Parameter } from '../../parameters/parameters.ts';

/** What an address could not mean, by the names of its keys. */
export const urlStrings = {
  version: (version: string, known: number) =>
    `This link is of version “${version.slice(0, 20)}” and this page knows version ${known}: all of it was ` +
    `ignored and the defaults are used.`,
  unknownEnvironment: (name: string, known: string) =>
    `“environment”: there is no “${name}” (there are: ${known}); the first was taken.`,
  unknownWorld: (name: string, known: string) => `“world”: there is no “${name}” (there are: ${known}).`,
  unknownEngine: (key: string, name: string) =>
    `${key}: there is no “${name}”; the engines are exact and wgsl. The browser chooses one.`,
  unknownKey: (key: string) => `“${key.slice(0, 40)}” means nothing here and was ignored.`,
  unknownChange: (key: string, step: number) => `at ${step}: “${key}” is not a control and was ignored.`,
  unknownPanel: (panel: string, known: string) => `panels: “${panel}” was ignored; known are ${known}.`,
  badEntry: (entry: string) => `at: “${entry}” was ignored; an entry looks like 60:rule=grpo-or.`,
  longSchedule: (key: string, most: number) => `${key}: only the first ${most} entries were read.`,
  manyRuns: (most: number) => `runs: a page trains ${most} runs at a time; the others were left out.`,
  repeated: (key: string) => `“${key.slice(0, 40)}” is given twice; the first one counts.`,
  more: (count: number) => `${count} more things in this link were ignored or changed.`,
  clamped: (key: string, given: string, used: string, parameter: Parameter) =>
    `${key}: “${given}” is not ${allowed(parameter)}; ${used} is used.`,
} as const;
