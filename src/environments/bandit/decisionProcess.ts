import { checkProbabilities } from './payoutTable.ts';

/** Possible result of an action. */
export interface Transition {
  readonly probability: number;
  readonly reward: number;
  /** State of the next turn; absent if the episode ends. */
  readonly next?: string;
}

/** Decision process of finite horizon. States of different turns are different, even if their names are equal. */
export interface DecisionProcess {
  /** State of the first turn. */
  readonly start: string;
  /** Maximum number of turns of an episode. */
  readonly turns: number;
  /** Returns the names of the actions in a state, at least one. */
  actions(turn: number, state: string): readonly string[];
  /** Returns the results of an action. Their probabilities sum to 1. */
  transitions(turn: number, state: string, action: string): readonly Transition[];
}

/** Policy of a process. It returns the probability of each action, in the order of `actions`. */
export type ProcessPolicy = (turn: number, state: string, actions: readonly string[]) => readonly number[];

/** Exact values of a state under a policy, in the unit of the rewards. */
export interface StateValues {
  readonly turn: number;
  readonly state: string;
  /** Probability that an episode reaches this state. */
  readonly visits: number;
  /** V: expected sum of the rewards from this turn on. */
  readonly value: number;
  readonly actions: readonly ActionValues[];
}

/** Exact values of an action in a state. */
export interface ActionValues {
  readonly action: string;
  /** Probability of the action under the policy. */
  readonly probability: number;
  /** Q: expected sum of the rewards from this turn on, after the action. */
  readonly value: number;
  /** True advantage Q - V. */
  readonly advantage: number;
}

/**
 * Solves the Bellman equations of a process by backward induction over the states that the process can reach:
 *
 *   Q(t, s, a) = Σ p [r + V(t + 1, s')],   V(t, s) = Σ_a π(a | t, s) Q(t, s, a),   A = Q - V
 *
 * Source: Sutton and Barto, Reinforcement Learning, 2018, equations 3.12 to 3.14. The same computation in Python is
 * `exact_values` of python/turnwise_rl/exact.py.
 * @returns the states by turn, in the order in which they are reached
 * @throws {RangeError} for probabilities of actions that are negative or do not sum to 1 within 1e-6
 * @throws {RangeError} for an episode that is longer than `turns`
 * @example
 * exactProcessValues(recovery, (_, __, actions) => actions.map(() => 1 / actions.length))[0].value; // 0.75
 */
export function exactProcessValues(process: DecisionProcess, policy: ProcessPolicy): readonly StateValues[] {
  const reached = visitedStates(process, policy);
  let afterwards: readonly StateValues[] = [];
  const all: StateValues[] = [];
  for (let turn = process.turns - 1; turn >= 0; turn--) {
    const ahead = new Map(afterwards.map(({ state, value }) => [state, value]));
    afterwards = [...(reached[turn] ?? [])].map(([state, visits]) => {
      const choices = process.actions(turn, state);
      const probabilities = policy(turn, state, choices);
      const values = choices.map((action) =>
        sum(
          process.transitions(turn, state, action),
          ({ probability, reward, next }) => probability * (reward + (next === undefined ? 0 : (ahead.get(next) ?? 0))),
        ),
      );
      const value = sum(values, (q, index) => probabilities[index] * q);
      const actions = choices.map((action, index) => ({
        ...{ action, probability: probabilities[index], value: values[index], advantage: values[index] - value },
      }));
      return { turn, state, visits, value, actions };
    });
    all.unshift(...afterwards);
  }
  return all;
}

/**
 * Returns the states that the process can reach, by turn. The value of a state is the probability that an episode under
 * the policy reaches it.
 */
function visitedStates(process: DecisionProcess, policy: ProcessPolicy): readonly ReadonlyMap<string, number>[] {
  const reached: Map<string, number>[] = [new Map([[process.start, 1]])];
  for (let turn = 0; turn < process.turns; turn++) {
    const following = new Map<string, number>();
    for (const [state, visits] of reached[turn]) {
      const choices = process.actions(turn, state);
      const probabilities = policy(turn, state, choices);
      const position = `turn ${turn}, state "${state}"`;
      if (probabilities.length !== choices.length) {
        throw new RangeError(`${position}: ${probabilities.length} probabilities for ${choices.length} actions`);
      }
      checkProbabilities(probabilities, position);
      for (const [index, action] of choices.entries()) {
        for (const { next, probability } of process.transitions(turn, state, action)) {
          if (next === undefined) continue;
          if (turn + 1 === process.turns) {
            throw new RangeError(`${position}: ${action} continues after the last turn`);
          }
          following.set(next, (following.get(next) ?? 0) + visits * probabilities[index] * probability);
        }
      }
    }
    reached.push(following);
  }
  return reached;
}

function sum<Item>(items: readonly Item[], term: (item: Item, index: number) => number): number {
  return items.reduce((total, item, index) => total + term(item, index), 0);
}

/**
 * Creates the process of a delayed effect. The first action determines the probability of reward 1 after the last turn;
 * later actions have no effect.
 *
 * @param turns number of turns
 * @param good probability of reward 1 after GOOD
 * @param bad probability of reward 1 after BAD
 * @throws {RangeError} for fewer than two turns
 */
export function delayedEffect(turns = 8, good = 0.8, bad = 0.2): DecisionProcess {
  if (!(turns >= 2)) throw new RangeError(`turns is ${turns}, less than 2`);
  return {
    start: 'start',
    turns,
    actions: (turn) => (turn === 0 ? ['GOOD', 'BAD'] : ['DISTRACT_0', 'DISTRACT_1']),
    transitions(turn, state, action) {
      if (turn < turns - 1) return [{ probability: 1, reward: 0, next: turn === 0 ? action.toLowerCase() : state }];
      const success = state === 'good' ? good : bad;
      return [
        { probability: success, reward: 1 },
        { probability: 1 - success, reward: 0 },
      ];
    },
  };
}

/**
 * Process of recovery: GOOD ends with reward 1. After BAD, a second turn repairs the error (reward 1) or gives up (0).
 */
export const recovery: DecisionProcess = {
  start: 's0',
  turns: 2,
  actions: (turn) => (turn === 0 ? ['GOOD', 'BAD'] : ['RECOVER', 'GIVE_UP']),
  transitions: (_, __, action) =>
    action === 'BAD'
      ? [{ probability: 1, reward: 0, next: 'mistake' }]
      : [{ probability: 1, reward: action === 'GIVE_UP' ? 0 : 1 }],
};

/**
 * Creates the process of stopping. In each turn the policy stops and collects the reward of the turn, or continues. In
 * the last turn, it can only stop.
 * @param rewards reward of each turn
 */
export function stopping(rewards: readonly number[] = [0, 2, 1, 3, 0]): DecisionProcess {
  return {
    start: 'alive',
    turns: rewards.length,
    actions: (turn) => (turn === rewards.length - 1 ? ['STOP'] : ['STOP', 'CONTINUE']),
    transitions: (turn, _, action) =>
      action === 'STOP' ? [{ probability: 1, reward: rewards[turn] }] : [{ probability: 1, reward: 0, next: 'alive' }],
  };
}

/** Decision processes of docs/reference/exact-credit.md, by name. */
export const PROCESSES = { delayed: delayedEffect(), recovery, stopping: stopping() } as const;
