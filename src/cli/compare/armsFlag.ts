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
 * Creates the flag `--rules RULE:NAME=VALUE:NAME=VALUE,RULE,...`, the arms of a comparison. A name is a parameter of
 * the rule (`norm`) or a control (`verpoNorm`, `learningRate`). The value of the flag is the list of names of the arms,
 * which `readArm` accepts.
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

/** Returns the name of an arm. A rule file is not read here, so its arm keeps the given text. */
function armName(tables: RunTables, text: string): string {
  return isRuleFile(text.split(':')[0]) ? text : readArm(tables, text).name;
}

/**
 * Reads the arms of a comparison. The name of an arm from a file consists of the file, the values, and a mark that
 * distinguishes two texts of one file.
 * @throws {UsageError | ParameterError | CustomRuleError} with the part of the arm that is wrong
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

/** Creates an arm of a rule file. Values that are not parameters of the rule are controls. */
function createCustomArm(tables: RunTables, { rule, rest }: ResolvedRule, path: string): Arm {
  const controls = [...tables.rewards, ...tables.training];
  const unknown = Object.keys(rest).find((name) => !controls.some((control) => control.name === name));
  if (unknown !== undefined) throw new UsageError(`neither ${path} nor a run has a parameter "${unknown}"`);
  const changes = parseParameters(controls, rest);
  const suffixes = Object.entries(changes).map(([control, value]) => `:${control}=${value}`);
  return { name: `${ruleLabel(rule)}${suffixes.sort().join('')}`, rule, changes };
}

/**
 * Reads an arm from a text of `--rules`.
 * @param tables without `armSettings` if all arms must be in one world
 * @throws {UsageError | ParameterError} with the part of the arm that is wrong
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
