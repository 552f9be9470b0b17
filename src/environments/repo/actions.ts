import { ACTION_LENGTHS, ARITY, isTool, type Tool, tokenName } from './vocabulary.ts';

/**
 * A tool with its arguments, or `malformed`: a token that is no tool, or too few arguments. Nothing says that the arguments
 * make sense; the episode finds out.
 */
export interface Action {
  readonly tool: Tool | 'malformed';
  /** Names of tokens: as many as the tool takes; what was written, where it is malformed. */
  readonly args: readonly string[];
}

/**
 * Reads what the policy wrote.
 * @throws {RangeError} for a number that is no token, for no tokens, and for more than the first one announces
 */
export function parseAction(tokens: readonly number[]): Action {
  const [tool, ...args] = tokens.map(tokenName);
  if (tool === undefined) throw new RangeError('an action has no tokens');
  const limit = ACTION_LENGTHS[tokens[0]];
  if (tokens.length > limit) {
    throw new RangeError(`an action that begins with "${tool}" has ${limit} tokens, not ${tokens.length}`);
  }
  if (isTool(tool) && args.length === ARITY[tool]) return { tool, args };
  return { tool: 'malformed', args: [tool, ...args] };
}
