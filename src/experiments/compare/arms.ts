import { ruleControls } from '../../credit/ruleFacts.ts';
import { findRule } from '../../credit/rules.ts';
import {
  type ParameterTable,
  type ParameterValue,
  type ParameterValues,
  parseParameter,
  type Values,
  valuesOf,
} from '../../parameters/parameters.ts';
import type { RunTables } from '../../training/data/configurationTables.ts';

/**
 * Condition of a comparison: a credit rule with the controls that differ in this arm, or expert iteration.
 */
export interface Arm {
  /** Name as requested, for example `verpo:norm=std`. */
  readonly name: string;
  /** Name of the credit rule; `expert-iteration` if there is no credit rule. */
  readonly rule: string;
  /**
   * Changed values by name: controls of a run and settings that can differ between arms (armSettings). For expert
   * iteration, parameters of EXPERT_PARAMETERS.
   */
  readonly changes: ParameterValues;
  /** Switch to another arm during the run. */
  readonly switch?: Switch;
}

/** Switch of a run from one arm to another. */
export interface Switch {
  /** Number of updates before the switch. The updates of the plan follow the switch. */
  readonly step: number;
  readonly to: Omit<Arm, 'switch'>;
  /**
   * Number of initial updates under the target arm, before the first arm; absent if the run starts under the first arm.
   */
  readonly habit?: number;
}

/** Error for an arm that cannot be parsed. */
export class ArmError extends Error {}

/**
 * Parses an arm of a comparison, for example `verpo:norm=std`: a rule, and the values that apply to this arm only.
 * @param tables tables of the run; without `armSettings` if all arms must have the same settings
 * @throws {ArmError | ParameterError} with the invalid part of the arm
 */
export function readArm(tables: RunTables, text: string): Arm {
  const [rule, ...parts] = text.split(':');
  if (rule === EXPERT_ARM) return readExpert(tables, text, parts);
  const { options } = tables.rule;
  if (!options.includes(rule)) throw new ArmError(`"${rule}" is not one of ${options.join(', ')}`);
  const changes: Record<string, ParameterValue> = {};
  for (const part of parts) {
    const [name, value] = entryOf(part, text);
    const control = controlOf(tables, rule, name);
    if (control in changes) throw new ArmError(`${text} sets ${name} twice`);
    const table = armSettings(tables).some((setting) => setting.name === control) ? tables.settings : tables.controls;
    changes[control] = parseParameter(table, control, value);
  }
  const parameters = findRule(rule).parameters;
  const formatted = Object.entries(changes)
    .map(([control, value]) => `:${parameters.find((known) => known.control === control)?.name ?? control}=${value}`)
    .sort();
  return { name: `${rule}${formatted.join('')}`, rule, changes };
}

/** Parses an arm of expert iteration. @throws {ArmError | ParameterError} */
function readExpert(tables: RunTables, text: string, parts: readonly string[]): Arm {
  if (!supportsExpertIteration(tables)) {
    throw new ArmError(`${EXPERT_ARM} imitates whole programs, and ${tables.environment.title} has none`);
  }
  const changes: Record<string, ParameterValue> = {};
  for (const part of parts) {
    const [name, value] = entryOf(part, text);
    if (name in changes) throw new ArmError(`${text} sets ${name} twice`);
    changes[name] = parseParameter(EXPERT_PARAMETERS, name, value);
  }
  const formatted = Object.entries(changes).map(([name, value]) => `:${name}=${value}`);
  return { name: `${EXPERT_ARM}${formatted.sort().join('')}`, rule: EXPERT_ARM, changes };
}

/** Parses a part of an arm, for example `norm=std`. @throws {ArmError} */
export function entryOf(part: string, text: string): readonly [name: string, value: string] {
  const match = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(part);
  if (!match) throw new ArmError(`"${part}" of ${text} is not NAME=VALUE`);
  return [match[1], match[2]];
}

/** Returns the tables for a comparison whose arms differ only in controls. */
export function removeArmSettings(tables: RunTables): RunTables {
  return { ...tables, environment: { ...tables.environment, armSettings: [] } };
}

/** Returns the settings that can differ between arms. */
export function armSettings({ environment, settings }: RunTables) {
  return settings.filter(({ name }) => environment.armSettings?.includes(name));
}

/** Returns the control or setting that a name in an arm refers to. @throws {ArmError} */
function controlOf(tables: RunTables, rule: string, name: string): string {
  const { rewards, training, critic, settings } = tables;
  const known = findRule(rule);
  const match = known.parameters.find((parameter) => parameter.name === name && parameter.control !== false);
  if (match) return match.control || match.name;
  const table = [...ruleControls(known), ...rewards, ...training, ...(known.unit === 'token' ? critic : [])];
  if ([...table, ...armSettings(tables)].some((control) => control.name === name)) return name;
  if (settings.some((setting) => setting.name === name)) {
    throw new ArmError(`${name} applies to every arm; pass it as --${name}`);
  }
  const names = [
    ...known.parameters.flatMap((p) => (p.control === false ? [] : [p.name])),
    ...training.map((p) => p.name),
  ];
  throw new ArmError(
    `${rule} has no parameter "${name}"; known: ${[...names, ...rewards.map((p) => p.name)].join(', ')}`,
  );
}

// Arm without a credit rule: expert iteration trains its policies (decision 023).

/** Name that replaces the credit rule in the name of an arm: `expert-iteration:samples=4`. */
export const EXPERT_ARM = 'expert-iteration';

/** Parameters of an expert iteration, in addition to its world and seed. */
export const EXPERT_PARAMETERS = [
  {
    kind: 'number',
    name: 'iterations',
    label: 'iterations',
    default: 2,
    min: 1,
    max: 10,
    step: 1,
    integer: true,
    help: 'Iterations.',
  },
  {
    kind: 'number',
    name: 'samples',
    label: 'rollouts',
    default: 15,
    min: 2,
    max: 40,
    step: 1,
    integer: true,
    help: 'Rollouts of each training problem in an iteration.',
  },
  {
    kind: 'number',
    name: 'turns',
    label: 'turns',
    default: 3,
    min: 1,
    max: 4,
    step: 1,
    integer: true,
    help: 'Maximum turns of a rollout, and attempts of the measurement.',
  },
  {
    kind: 'number',
    name: 'temperature',
    label: 'temperature',
    default: 0.7,
    min: 0.05,
    max: 2,
    step: 0.05,
    help: 'Temperature of the rollouts.',
  },
  {
    kind: 'choice',
    name: 'expert',
    label: 'expert',
    default: 'verifier',
    options: ['verifier', 'tests', 'tests-verifier'],
    help:
      'Criterion for the best program of a problem: the verifier; the tests (the first program that passes all of them; ' +
      'problems without such a program are omitted); or the tests, then the verifier.',
  },
  {
    kind: 'number',
    name: 'verifierSteps',
    label: 'verifier steps',
    default: 400,
    min: 1,
    max: 100_000,
    step: 1,
    integer: true,
    help: 'Optimiser steps of a verifier, each on 64 pairs.',
  },
  {
    kind: 'number',
    name: 'epochs',
    label: 'epochs',
    default: 2,
    min: 0.01,
    max: 100,
    step: 0.01,
    help: 'Passes over the relabelled turns.',
  },
  {
    kind: 'number',
    name: 'learningRate',
    label: 'learning rate',
    default: 1e-3,
    min: 1e-6,
    max: 1e-1,
    step: 1e-6,
    help: 'Largest learning rate of the imitation.',
  },
] as const satisfies ParameterTable;

export type ExpertValues = Values<typeof EXPERT_PARAMETERS>;

/** Returns true if an arm is an expert iteration. */
export function isExpert({ rule }: { readonly rule: string }): boolean {
  return rule === EXPERT_ARM;
}

/** Returns the parameters of an arm. Parameters that the arm does not name have their defaults. */
export function expertValues({ changes }: { readonly changes: ParameterValues }): ExpertValues {
  return valuesOf(EXPERT_PARAMETERS, changes);
}

/** Returns true if the environment has complete programs to imitate and a reward model that can score them. */
export function supportsExpertIteration({ environment }: Pick<RunTables, 'environment'>): boolean {
  return environment.rewardModel !== undefined && environment.measuredBy === 'refinement';
}

/** Arm that switches to another arm during a run. */
export type SwitchedArm = Arm & { readonly switch: Switch };

/** Missing run. */
export interface Missing {
  readonly arm: Arm;
  readonly seed: number;
}

/**
 * Returns the arms that switch from each arm to each other arm at each step.
 * @param habit number of initial updates under the first arm; all switches then lead back to the first arm. 0 for none
 */
export function switchedArms(arms: readonly Arm[], steps: readonly number[], habit = 0): readonly SwitchedArm[] {
  return arms.flatMap((from) =>
    arms
      .filter((to) => to !== from && (habit === 0 || to === arms[0]))
      .flatMap((to) => steps.map((step) => switched(from, to, step, habit))),
  );
}

function switched(from: Arm, to: Arm, step: number, habit: number): SwitchedArm {
  const change = habit > 0 ? { step: habit + step, to, habit } : { step, to };
  return { ...from, name: `${from.name}${suffixOf(change)}`, switch: change };
}

/** Formats a switch: `>grpo-or@40`, or `>mt-grpo@60 after 40` if the run starts under the target arm. */
function suffixOf({ step, to, habit = 0 }: Switch): string {
  return `>${to.name}@${step - habit}${habit > 0 ? ` after ${habit}` : ''}`;
}

/** Returns the name of the arm before the switch. */
export function beforeName({ name, switch: change }: SwitchedArm): string {
  return name.slice(0, -suffixOf(change).length);
}

/** Returns the number of updates between the start of the arm and its switch. */
export function updatesBefore({ switch: { step, habit = 0 } }: SwitchedArm): number {
  return step - habit;
}

export function isSwitched(arm: Arm): arm is SwitchedArm {
  return arm.switch !== undefined;
}

/** Returns an arm that trains the part of the run before the switch. */
export function createSharedPrefixArm(arm: SwitchedArm): Arm {
  const { rule, changes, switch: change } = arm;
  const itself = { name: beforeName(arm), rule, changes };
  // With a habit, the part before the switch contains the switch from the target arm.
  return change.habit ? switched(change.to, itself, change.habit, 0) : itself;
}

/**
 * Returns the number of updates that the missing runs require. Updates that runs share before their switches count
 * once.
 */
export function updatesLeft({ steps }: { readonly steps: number }, missing: readonly Missing[]): number {
  const prefixRuns = new Map<string, number>();
  for (const { arm, seed } of missing) {
    if (!isSwitched(arm)) continue;
    const key = `${createSharedPrefixArm(arm).name} ${seed}`;
    prefixRuns.set(key, Math.max(prefixRuns.get(key) ?? 0, arm.switch.step));
  }
  return missing.length * steps + [...prefixRuns.values()].reduce((sum, updates) => sum + updates, 0);
}
