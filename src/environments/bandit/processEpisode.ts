import type { CountedTurn, Episode, StepResult } from '../environment.ts';
import type { DecisionProcess, Transition } from './decisionProcess.ts';
import { actionIn, type ProcessTokens } from './processTokens.ts';

/** A decision process with its tokens and its largest outcome. */
export interface ProcessRules {
  readonly process: DecisionProcess;
  readonly tokens: ProcessTokens;
  readonly best: number;
}

/** Facts that the turns of the processes report, by action; 1 if the action was this one, else 0. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  GOOD: { good: 1 },
  BAD: { good: 0 },
  RECOVER: { recovered: 1 },
  GIVE_UP: { recovered: 0 },
};

/**
 * An episode of a decision process. A turn is one token; the reply names the next state.
 *
 * Facts of a verdict: `good` and `recovered` as above; `stop`: number of the turn that stopped, from 1; `solved`: 1 for the
 * largest outcome; `return`: reward of the turn, so that the sum over the turns of an episode is its return.
 *
 * The state of a turn has the number of the turn, because states of different turns are different: `turn 2: mistake`.
 */
export class ProcessEpisode implements Episode {
  private over = false;

  constructor(
    private readonly rules: ProcessRules,
    private turn = 0,
    private state = rules.process.start,
  ) {}

  /**
   * @param draw decides between the results of an action. The processes have random rewards only: the next state does not
   *   depend on it, so a replay without luck takes the same turns
   * @throws {Error} when the episode is over
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

  /** Another episode at the same place. */
  fork(): ProcessEpisode {
    const fork = new ProcessEpisode(this.rules, this.turn, this.state);
    fork.over = this.over;
    return fork;
  }
}

/** Returns the result whose share of [0, 1) contains the draw. */
function drawn(transitions: readonly Transition[], draw: number): Transition {
  let below = 0;
  for (const transition of transitions) {
    below += transition.probability;
    if (draw < below) return transition;
  }
  return transitions[transitions.length - 1];
}

/** Returns a turn of a process with its possible results. @param context tokens that the policy sees before the turn */
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

/** True if all actions have the same results here and in every state that follows. */
function isIdle(process: DecisionProcess, turn: number, state: string): boolean {
  const [first, ...rest] = process.actions(turn, state).map((action) => process.transitions(turn, state, action));
  const same = rest.every((results) => JSON.stringify(results) === JSON.stringify(first));
  return same && first.every(({ next }) => next === undefined || isIdle(process, turn + 1, next));
}
