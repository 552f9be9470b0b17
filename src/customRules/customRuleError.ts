import { quoted } from '../rollouts/quoting.ts';

/** Place of an error in a custom rule, as far as it is known. */
export interface CustomRuleLocation {
  readonly file: string;
  /** Line of the file, from 1. */
  readonly line?: number | undefined;
  readonly group?: string | undefined;
  /** Index of the turn in its group, from 0. */
  readonly turn?: number | undefined;
}

/**
 * Error of a custom rule that does not do what a rule does; the message names file, line, group and turn as far as they
 * are known.
 */
export class CustomRuleError extends Error {
  constructor(
    readonly location: CustomRuleLocation,
    /** Description of the error, without the place. */
    readonly problem: string,
  ) {
    const { file, line, group, turn } = location;
    const parts = [file];
    if (line !== undefined) parts.push(`line ${line}`);
    if (group !== undefined) parts.push(`group ${quoted(group)}`);
    if (turn !== undefined) parts.push(`turn ${turn}`);
    super(`${parts.join(', ')}: ${problem}`);
    this.name = 'CustomRuleError';
  }
}
