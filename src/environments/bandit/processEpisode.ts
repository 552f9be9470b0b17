import type { CountedTurn, Episode, StepResult } from '../environment.ts';
import type { DecisionProcess, Transition } from './decisionProcess.ts';
import { actionIn, type ProcessTokens } from './processTokens.ts';

/** Decision process with its tokens and its largest outcome. */
export interface ProcessRules {
  readonly process: DecisionProcess;
  readonly tokens: ProcessTokens;
  readonly best: number;
}

/** Facts of turns, by action: 1 if the turn chose the action of the fact, 0 if it chose the alternative. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  GOOD: { good: 1 },
  BAD: { good: 0 },
  RECOVER: { recovered: 1 },
  GIVE_UP: { recovered: 0 },
};

/**
 * Episode of a decision process. A turn is one token, and the reply is the name of the next state.
 *
 * Facts of a step result: `good` and `recovered` as in `CHOICES`. `stop` is the number of the turn that stopped, from
 * 1. `solved` is 1 for the largest outcome. `return` is the reward of the turn, so that its sum over the turns is the
 * return of the episode.
 *
 * The state of a turn contains the number of the turn, because states of different turns are different. An example is
 * `turn 2: mistake`.
 */
export class ProcessEpisode implements Episode {
  private over = false;

  constructor(
    private readonly rules: ProcessRules,
    private turn = 0,
    private state = rules.process.start,
  ) {}

  /**
   * Returns the step result of a turn.
   * @param draw uniform draw that selects the result of the action. Only rewards are random in these processes; the
   *   next state does not depend on the draw. A replay without a draw therefore has the same turns
   * @throws {Error} if the episode is over
   */
  act([token]: readonly number[], draw = 0): StepResult {
    if (this.over) throw new Error('the episode is over: start another with begin()');
    const { rules, turn, state } = this;
    const { process, tokens, best } = rules;
    const action = actionIn(process, turn, state, token);
    const { reward, next } = drawn(process.transitions(turn, state, action), draw);
    const facts = { ...CHOICES[action], ...(action === 'STOP' ? { stop: turn + 1 } : {}), return: reward };
    const description = { state: `turn ${turn + 1}: ${state}`, action, facts, summary: `${action} in state ${state}` };
    if (next === undefined) {
      this.over = true;
      const solved = reward === best;
      return {
        ...description,
        ...{ reward: 0, components: { outcome: reward }, outcome: reward, solved },
        facts: { ...facts, solved: solved ? 1 : 0 },
      };
    }
    this.turn++;
    this.state = next;
    return { ...description, reward, components: { turn: reward }, reply: tokens.shows(next) };
  }

  /** Returns another episode in the same state. */
  fork(): ProcessEpisode {
    const fork = new ProcessEpisode(this.rules, this.turn, this.state);
    fork.over = this.over;
    return fork;
  }
}

/** Returns the result whose interval of [0, 1) contains the draw. */
function drawn(transitions: readonly Transition[], draw: number): Transition {
  let below = 0;
  for (const transition of transitions) {
    below += transition.probability;
    if (draw < below) return transition;
  }
  return transitions[transitions.length - 1];
}

/**
 * Returns a turn of a process with its possible results.
 * @param context context of the policy before the turn
 */
export function countedTurn(rules: ProcessRules, context: readonly number[], turn: number, state: string): CountedTurn {
  const { process, tokens } = rules;
  return {
    tokens: context,
    idle: isIdle(process, turn, state),
    results: (token) =>
      process.transitions(turn, state, actionIn(process, turn, state, token)).map(({ probability, reward, next }) => ({
        ...{ probability, reward },
        ...(next === undefined
          ? {}
          : { next: countedTurn(rules, [...context, token, ...tokens.shows(next)], turn + 1, next) }),
      })),
  };
}

/** Returns true if all actions have the same results in this state and in all states that follow. */
function isIdle(process: DecisionProcess, turn: number, state: string): boolean {
  const [first, ...rest] = process.actions(turn, state).map((action) => process.transitions(turn, state, action));
  const same = rest.every((results) => JSON.stringify(results) === JSON.stringify(first));
  return same && first.every(({ next }) => next === undefined || isIdle(process, turn + 1, next));
}
