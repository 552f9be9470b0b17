import type { Vocabulary } from '../environment.ts';
import type { DecisionProcess } from './decisionProcess.ts';

/** Tokens of a decision process. */
export interface ProcessTokens {
  readonly vocabulary: Vocabulary;
  /** Returns the tokens of a state in the context of the policy. */
  shows(state: string): readonly number[];
}

/** Divisor of the vocabulary size. It makes the number of tokens per action equal for two actions. */
const MULTIPLE = 4;
const TURN_END = '</turn>';
const UNUSED = '<unused>';

/**
 * Returns the tokens of a process: names of actions, names of states, unused tokens and `</turn>`. Actions are in the
 * order of their turns. The number of an action's token, modulo the number of actions, is then its index (`actionIn`).
 */
export function processTokens(process: DecisionProcess): ProcessTokens {
  const [actions, states] = namesOf(process);
  const used = [...actions, ...states];
  const size = Math.ceil((used.length + 1) / MULTIPLE) * MULTIPLE;
  const end = size - 1;
  const names = Array.from({ length: size }, (_, token) => (token === end ? TURN_END : (used[token] ?? UNUSED)));
  return {
    vocabulary: {
      size,
      names,
      kind(token) {
        if (names[token] === undefined)
          throw new RangeError(`${token} is not a token of the process (0 to ${size - 1})`);
        if (token < actions.length) return 'action';
        return token < used.length ? 'state' : 'markup';
      },
    },
    shows: (state) => [actions.length + states.indexOf(state), end],
  };
}

/** Returns the names of all actions and of all states, in the order of their turns. */
function namesOf(process: DecisionProcess): readonly [readonly string[], readonly string[]] {
  const actions = new Set<string>();
  const states = new Set([process.start]);
  let present = [process.start];
  for (let turn = 0; turn < process.turns; turn++) {
    const following = new Set<string>();
    for (const state of present) {
      for (const action of process.actions(turn, state)) {
        actions.add(action);
        for (const { next } of process.transitions(turn, state, action)) if (next !== undefined) following.add(next);
      }
    }
    present = [...following];
    for (const state of present) states.add(state);
  }
  return [[...actions], [...states]];
}

/** Returns the action that a token represents: the token number modulo the number of actions. No token is invalid. */
export function actionIn(process: DecisionProcess, turn: number, state: string, token: number): string {
  const actions = process.actions(turn, state);
  return actions[token % actions.length];
}
