import { ArmError, readArm as read } from '../../experiments/compare/arms.ts';
import type { Arm } from '../../experiments/compare/findings.ts';
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
  try {
    return read(tables, text);
  } catch (error) {
    throw error instanceof ArmError ? new UsageError(error.message) : error;
  }
}
