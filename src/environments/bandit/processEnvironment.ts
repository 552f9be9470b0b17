import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CountedTurn, Environment, Episode, StepResult, Vocabulary } from '../environment.ts';
import { BANDIT_CONTROLS, banditSettings } from './banditSettings.ts';
import { type DecisionProcess, PROCESSES, type Transition } from './decisionProcess.ts';

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
function processTokens(process: DecisionProcess): ProcessTokens {
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
function actionIn(process: DecisionProcess, turn: number, state: string, token: number): string {
  const actions = process.actions(turn, state);
  return actions[token % actions.length];
}

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
class ProcessEpisode implements Episode {
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
function countedTurn(rules: ProcessRules, context: readonly number[], turn: number, state: string): CountedTurn {
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

/** Task of a process. Each process has exactly one task. */
export interface ProcessTask {
  readonly process: keyof typeof PROCESSES;
}

const DESCRIPTIONS: Readonly<Record<keyof typeof PROCESSES, string>> = {
  delayed: 'delayed effect: the first of 8 actions decides',
  recovery: 'recovery: a second turn can repair an error',
  stopping: 'stopping: in which of 5 turns to stop',
};

/**
 * Creates a decision process as a world of the bandit (docs/reference/exact-credit.md). The policy writes one token per
 * turn and observes the next state.
 *
 * @param values values of BANDIT_SETTINGS; `process` is the name of the process
 * @throws {ParameterError} for a setting that the table does not allow
 * @throws {RangeError} if `process` is `two-turns`, which is not a decision process
 * @example
 * const environment = createProcessEnvironment({ process: 'recovery' });
 * const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
 * const { reply } = environment.begin(task, {}).act([1]);
 */
export function createProcessEnvironment(values: ParameterValues): Environment<ProcessTask> {
  const { process: name } = banditSettings(values);
  if (name === 'two-turns') throw new RangeError('process is two-turns, which is none of the decision processes');
  const process = PROCESSES[name];
  const tokens = processTokens(process);
  const outcomes = outcomesOf(process);
  const [bestOutcome, worstOutcome] = [Math.max(...outcomes), Math.min(...outcomes)];
  const rules = { process, tokens, best: bestOutcome };
  const prompt = tokens.shows(process.start);
  return {
    name: 'bandit',
    vocabulary: tokens.vocabulary,
    // A state has two tokens, an action one. The context is a multiple of four, as in the other environments.
    context: Math.ceil((3 * process.turns) / 4) * 4,
    maxTurns: process.turns,
    stopTokens: [],
    controls: BANDIT_CONTROLS,
    // With 64 columns, a policy with initial weights repeats the last token with probability .9 or more. It then never
    // samples some actions.
    network: { layers: 2, dim: 16, heads: 2, ffDim: 48 },
    warmStart: [],
    turnLimit: () => 1,
    sampleTasks: (_, count) => Array.from({ length: count }, () => ({ process: name })),
    describe: () => DESCRIPTIONS[name],
    outcomeRange: () => ({ bestOutcome, worstOutcome }),
    prompt: () => prompt,
    counted: () => countedTurn(rules, prompt, 0, process.start),
    begin: () => new ProcessEpisode(rules),
  };
}

/** Returns the rewards with which an episode can end. */
function outcomesOf(process: DecisionProcess, turn = 0, state = process.start): readonly number[] {
  const [first, ...rest] = process
    .actions(turn, state)
    .map((action) =>
      process
        .transitions(turn, state, action)
        .flatMap(({ reward, next }) => (next === undefined ? [reward] : outcomesOf(process, turn + 1, next))),
    );
  return [...first, ...rest.flat()];
}
