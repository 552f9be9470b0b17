import { ruleControls } from '../../credit/ruleFacts.ts';
import { findRule } from '../../credit/rules.ts';
import { type ParameterValue, parseParameter } from '../../parameters/parameters.ts';
import type { RunTables } from '../../training/data/configurationTables.ts';
import { EXPERT_ARM, EXPERT_PARAMETERS, supportsExpertIteration } from './expertArm.ts';
import type { Arm } from './findings.ts';

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
    throw new ArmError(`${name} shapes the world, which all arms share; use --${name}`);
  }
  const names = [
    ...known.parameters.flatMap((p) => (p.control === false ? [] : [p.name])),
    ...training.map((p) => p.name),
  ];
  throw new ArmError(
    `${rule} has no parameter "${name}"; known: ${[...names, ...rewards.map((p) => p.name)].join(', ')}`,
  );
}
