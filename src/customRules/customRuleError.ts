import { quoted } from '../rollouts/quoting.ts';

/** Location of an error in a custom rule. Unknown parts are undefined. */
export interface CustomRuleLocation {
  readonly file: string;
  /** Line of the file, starting at 1. */
  readonly line?: number | undefined;
  readonly group?: string | undefined;
  /** Index of the turn in its group, starting at 0. */
  readonly turn?: number | undefined;
}

/**
 * Error of a custom rule with an invalid definition or result. The message has the known parts of the location: file,
 * line, group and turn.
 */
export class CustomRuleError extends Error {
  constructor(
    readonly location: CustomRuleLocation,
    /** Description of the error, without the location. */
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
