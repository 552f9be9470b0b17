import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Environment } from '../environment.ts';
import { BANDIT_CONTROLS, banditSettings } from './banditSettings.ts';
import { type DecisionProcess, PROCESSES } from './decisionProcess.ts';
import { countedTurn, ProcessEpisode } from './processEpisode.ts';
import { processTokens } from './processTokens.ts';

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
