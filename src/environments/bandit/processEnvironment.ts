import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Environment } from '../environment.ts';
import { BANDIT_CONTROLS, banditSettings } from './banditSettings.ts';
import { type DecisionProcess, PROCESSES } from './decisionProcess.ts';
import { countedTurn, ProcessEpisode } from './processEpisode.ts';
import { processTokens } from './processTokens.ts';

/** A process has one task. */
export interface ProcessTask {
  readonly process: keyof typeof PROCESSES;
}

const DESCRIPTIONS: Readonly<Record<keyof typeof PROCESSES, string>> = {
  delayed: 'delayed effect: the first of 8 actions decides',
  recovery: 'recovery: a second turn can repair an error',
  stopping: 'stopping: in which of 5 turns to stop',
};

/**
 * A decision process as a world of the bandit (docs/reference/exact-credit.md): the policy writes one token a turn and sees
 * the state after it.
 *
 * @param values of BANDIT_SETTINGS; `process` names the process
 * @throws {ParameterError} for a setting that the table does not allow
 * @throws {RangeError} for the payout tables, which are no process
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
    // A state takes two tokens, an action one; a multiple of four, as in the other environments.
    context: Math.ceil((3 * process.turns) / 4) * 4,
    maxTurns: process.turns,
    stopTokens: [],
    controls: BANDIT_CONTROLS,
    // With 64 columns, initial weights repeat the last token with probability .9 and more, so some actions are never tried.
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

/** Returns the rewards that an episode can end with. */
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
