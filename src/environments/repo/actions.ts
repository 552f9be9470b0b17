import { ACTION_LENGTHS, ARITY, isTool, type Tool, tokenName } from './vocabulary.ts';

/**
 * Tool call with its arguments, or `malformed` for a token that is not a tool and for missing arguments. The arguments
 * can still be invalid; the episode checks them.
 */
export interface Action {
  readonly tool: Tool | 'malformed';
  /** Names of the argument tokens. For a malformed action, names of all written tokens. */
  readonly args: readonly string[];
}

/**
 * Parses the tokens of a turn.
 * @throws {RangeError} for a number that is not a token, for no tokens, and for more tokens than the first one permits
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
