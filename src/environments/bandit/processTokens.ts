import type { Vocabulary } from '../environment.ts';
import type { DecisionProcess } from './decisionProcess.ts';

/** The tokens of a decision process. */
export interface ProcessTokens {
  readonly vocabulary: Vocabulary;
  /** Returns the tokens that name a state to the policy. */
  shows(state: string): readonly number[];
}

/** The size of a vocabulary is a multiple of this number, so that each of two actions has as many tokens as the other. */
const MULTIPLE = 4;
const TURN_END = '</turn>';
const UNUSED = '<unused>';

/**
 * Returns the tokens of a process: names of actions, names of states, `</turn>`. Actions are in the order of their turns,
 * so that the number of an action's own token, modulo the number of actions, is its index (`actionIn`).
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

/** Returns the action of a token: its number modulo the number of actions, so that no token is invalid. */
export function actionIn(process: DecisionProcess, turn: number, state: string, token: number): string {
  const actions = process.actions(turn, state);
  return actions[token % actions.length];
}
