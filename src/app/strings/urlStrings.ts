import { allowed, type Parameter } from '../../parameters/parameters.ts';

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
