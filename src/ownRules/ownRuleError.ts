import { quoted } from '../rollouts/quoting.ts';

/** Where a rule of one's own went wrong, as far as it is known. */
export interface OwnPlace {
  readonly file: string;
  /** Line of the file, from 1. */
  readonly line?: number | undefined;
  readonly group?: string | undefined;
  /** Index of the turn in its group, from 0. */
  readonly turn?: number | undefined;
}

/** A rule of one's own does not do what a rule does; the message names file, line, group and turn as far as they are known. */
export class OwnRuleError extends Error {
  constructor(
    readonly place: OwnPlace,
    /** What is wrong, without the place. */
    readonly problem: string,
  ) {
    const { file, line, group, turn } = place;
    const parts = [file];
    if (line !== undefined) parts.push(`line ${line}`);
    if (group !== undefined) parts.push(`group ${quoted(group)}`);
    if (turn !== undefined) parts.push(`turn ${turn}`);
    super(`${parts.join(', ')}: ${problem}`);
    this.name = 'OwnRuleError';
  }
}
