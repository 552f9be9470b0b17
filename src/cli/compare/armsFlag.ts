import { findRule } from '../../credit/rules.ts';
import { ruleControls } from '../../credit/telling/ruleControls.ts';
import type { Arm } from '../../experiments/compare/findings.ts';
import { type ParameterValue, parseParameter } from '../../parameters/parameters.ts';
import type { RunTables } from '../../training/data/configurationTables.ts';
import { UsageError } from '../framework/errors.ts';
import { type Flag, named } from '../framework/flags.ts';

/**
 * `--rules RULE:NAME=VALUE:NAME=VALUE,RULE,...`: arms of a comparison. Names are those of the rule's own parameters
 * (`norm`), then those of controls (`verpoNorm`, `learningRate`). Its value are the arms' names, which readArm() takes.
 */
export function armsFlag(tables: RunTables, standard: readonly string[]): Flag<readonly string[]> {
  const { options } = tables.rule;
  return {
    kind: 'value',
    placeholder: 'RULE:NAME=VALUE:...,...',
    help:
      'Arms, separated by commas: a credit rule, and after colons the controls that this arm alone gets, for example ' +
      'murphy-mars:inter=2 or verpo:norm=std:learningRate=2e-4. Lists have slashes, inter=2/1. A parameter goes by its name ' +
      'in the rule (docs/rules), or by that of its flag.',
    allowed: `rules of ${options.join(', ')}`,
    fallback: standard,
    add: (_, given, name) =>
      named(name, () => {
        const names = given.split(',').map((text) => readArm(tables, text.trim()).name);
        const twice = names.find((one, index) => names.indexOf(one) < index);
        if (twice !== undefined) throw new UsageError(`"${given}" names ${twice} twice`);
        return names;
      }),
  };
}

/** @throws {UsageError | ParameterError} saying which part of the arm is wrong */
export function readArm(tables: RunTables, text: string): Arm {
  const [rule, ...parts] = text.split(':');
  const { options } = tables.rule;
  if (!options.includes(rule)) throw new UsageError(`"${rule}" is not one of ${options.join(', ')}`);
  const changes: Record<string, ParameterValue> = {};
  for (const part of parts) {
    const match = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(part);
    if (!match) throw new UsageError(`"${part}" of ${text} is not NAME=VALUE`);
    const [, name, value] = match;
    const control = controlOf(tables, rule, name);
    if (control in changes) throw new UsageError(`${text} sets ${name} twice`);
    changes[control] = parseParameter(tables.controls, control, value);
  }
  const own = findRule(rule).parameters;
  const shown = Object.entries(changes)
    .map(([control, value]) => `:${own.find((known) => known.control === control)?.name ?? control}=${value}`)
    .sort();
  return { name: `${rule}${shown.join('')}`, rule, changes };
}

/** The control that a name means in an arm. */
function controlOf({ rewards, training, critic, settings }: RunTables, rule: string, name: string): string {
  const known = findRule(rule);
  const own = known.parameters.find((parameter) => parameter.name === name && parameter.control !== false);
  if (own) return own.control || own.name;
  const table = [...ruleControls(known), ...rewards, ...training, ...(known.unit === 'token' ? critic : [])];
  if (table.some((control) => control.name === name)) return name;
  if (settings.some((setting) => setting.name === name)) {
    throw new UsageError(`${name} shapes the world, which all arms share; use --${name}`);
  }
  const names = [
    ...known.parameters.flatMap((p) => (p.control === false ? [] : [p.name])),
    ...training.map((p) => p.name),
  ];
  throw new UsageError(
    `${rule} has no parameter "${name}"; known: ${[...names, ...rewards.map((p) => p.name)].join(', ')}`,
  );
}
