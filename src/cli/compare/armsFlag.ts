import { ruleLabel } from '../../credit/ruleFacts.ts';
import { ArmError, armSettings, entryOf, readArm as read } from '../../experiments/compare/arms.ts';
import { EXPERT_ARM, supportsExpertIteration } from '../../experiments/compare/expertArm.ts';
import type { Arm } from '../../experiments/compare/findings.ts';
import { parseParameters } from '../../parameters/parameters.ts';
import type { RunTables } from '../../training/data/configurationTables.ts';
import { findRules, isRuleFile, type ResolvedRule } from '../framework/customRuleFiles.ts';
import { UsageError } from '../framework/errors.ts';
import { type Flag, named } from '../framework/flags.ts';

/**
 * `--rules RULE:NAME=VALUE:NAME=VALUE,RULE,...`: arms of a comparison. Names are those of the rule's own parameters
 * (`norm`), then those of controls (`verpoNorm`, `learningRate`). Its value are the arms' names, which readArm() takes.
 */
export function armsFlag(tables: RunTables, standard: readonly string[]): Flag<readonly string[]> {
  const { options } = tables.rule;
  const settingNames = armSettings(tables)
    .map(({ name }) => name)
    .join(', ');
  return {
    kind: 'value',
    placeholder: 'RULE:NAME=VALUE:...,...',
    help:
      'Arms, separated by commas. An arm is a credit rule, followed after colons by the controls of this arm only, for ' +
      'example murphy-mars:inter=2 or verpo:norm=std:learningRate=2e-4. Slashes separate the values of a list: inter=2/1. ' +
      'A parameter has its name in the rule (docs/reference/rules) or the name of its flag' +
      (settingNames === '' ? '' : `; these settings of the world are allowed too: ${settingNames}`) +
      '. A Python file is a rule: ./my_rule.py:alpha=0.5.' +
      (supportsExpertIteration(tables)
        ? ` ${EXPERT_ARM} is expert iteration, with the parameters of that command: ${EXPERT_ARM}:samples=4.`
        : ''),
    allowed: `rules from ${options.join(', ')}${supportsExpertIteration(tables) ? `, ${EXPERT_ARM}` : ''}`,
    fallback: standard,
    add: (_, given, name) =>
      named(name, () => {
        const names = given.split(',').map((text) => armName(tables, text.trim()));
        const twice = names.find((candidate, index) => names.indexOf(candidate) < index);
        if (twice !== undefined) throw new UsageError(`"${given}" names ${twice} twice`);
        return names;
      }),
  };
}

/** A file is looked at later; its name is what was typed. */
function armName(tables: RunTables, text: string): string {
  return isRuleFile(text.split(':')[0]) ? text : readArm(tables, text).name;
}

/**
 * Arms of a comparison. Arms of files are named after the file, the values, and a mark that distinguishes two texts of
 * one file.
 * @throws {UsageError | ParameterError | CustomRuleError} saying which part of an arm is wrong
 */
export async function readArms(tables: RunTables, texts: readonly string[]): Promise<readonly Arm[]> {
  const requested = texts.map((text) => {
    const [rule, ...parts] = text.split(':');
    return {
      rule,
      given: isRuleFile(rule) ? asUsage(() => Object.fromEntries(parts.map((part) => entryOf(part, text)))) : {},
    };
  });
  const matches = await findRules(requested);
  return texts.map((text, index) =>
    isRuleFile(requested[index].rule)
      ? createCustomArm(tables, matches[index], requested[index].rule)
      : readArm(tables, text),
  );
}

/** An arm of a file: its rule holds its own parameters, and what is left are controls. */
function createCustomArm(tables: RunTables, { rule, rest }: ResolvedRule, path: string): Arm {
  const controls = [...tables.rewards, ...tables.training];
  const unknown = Object.keys(rest).find((name) => !controls.some((control) => control.name === name));
  if (unknown !== undefined) throw new UsageError(`neither ${path} nor a run has a parameter "${unknown}"`);
  const changes = parseParameters(controls, rest);
  const suffixes = Object.entries(changes).map(([control, value]) => `:${control}=${value}`);
  return { name: `${ruleLabel(rule)}${suffixes.sort().join('')}`, rule, changes };
}

/**
 * @param tables without `armSettings` where arms have to be in one world
 * @throws {UsageError | ParameterError} saying which part of the arm is wrong
 */
export function readArm(tables: RunTables, text: string): Arm {
  return asUsage(() => read(tables, text));
}

function asUsage<Value>(reading: () => Value): Value {
  try {
    return reading();
  } catch (error) {
    throw error instanceof ArmError ? new UsageError(error.message) : error;
  }
}
