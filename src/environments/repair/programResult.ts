import type { ProgramDetail } from '../../rollouts/rolloutBatch.ts';
import { repr } from '../../sandbox/repr.ts';
import type { StepResult } from '../environment.ts';
import { resultText } from './feedback.ts';
import type { ProgramEvaluation } from './programRunner.ts';
import { reflectionText } from './reflection.ts';
import type { RepairControls } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { programText } from './source.ts';
import { VISIBLE_TESTS } from './testChoice.ts';

// Descriptions of a program for all kinds of episodes.

/**
 * Returns the rewards of a turn, and of the episode if it ends.
 * @param rate share of the possible points of the turn: passed tests of its program, or correct tests that it writes
 * @param last last program of the episode; undefined if the episode continues
 */
export function rewards(
  { turnReward, outcomeReward }: RepairControls,
  rate: number,
  last: ProgramEvaluation | undefined,
): Pick<StepResult, 'reward' | 'components' | 'outcome'> {
  const reward = computeReward(turnReward, rate);
  if (!last) return { reward, components: { turn: reward, outcome: 0 } };
  const outcome = computeReward(outcomeReward, passRate(last.passed));
  return { reward, outcome, components: { turn: 0, outcome } };
}

function computeReward(kind: RepairControls['turnReward'], rate: number): number {
  // The reward model sets the reward later (modelReward.ts).
  if (kind === 'model') return Number.NaN;
  if (kind === 'none') return 0;
  return kind === 'solved' ? Math.floor(rate) : rate;
}

/** Returns the share of passed tests. */
export function passRate(passed: readonly boolean[]): number {
  return passed.filter(Boolean).length / passed.length;
}

/**
 * Returns the facts of a program.
 * @param first true for the first program of its episode
 */
export function programFacts({ passed, complete, results }: ProgramEvaluation, first: boolean): Record<string, number> {
  const rate = passRate(passed);
  const raised = (name: string) => Number(results.some((result) => 'exception' in result && result.exception === name));
  return {
    solved: Number(rate === 1),
    firstSolved: Number(rate === 1 && first),
    repaired: Number(rate === 1 && !first),
    passRate: rate,
    partial: Number(rate > 0 && rate < 1),
    none: Number(rate === 0),
    visible: Number(passed.slice(0, VISIBLE_TESTS).every(Boolean)),
    hidden: Number(passed.slice(VISIBLE_TESTS).every(Boolean)),
    syntaxError: Number(complete && isSyntaxError(results)),
    unfinished: Number(!complete),
    timeout: raised('Timeout'),
  };
}

/** Returns true if a program is not valid Python. Such a program fails every call in the same way. */
function isSyntaxError(results: ProgramEvaluation['results']): boolean {
  return results.length > 0 && resultText(results[0]) === 'SyntaxError';
}

/** Returns a description of the turn in one short sentence. */
export function programSummary({ passed, complete, results }: ProgramEvaluation): string {
  if (!complete) return 'the program does not end';
  if (isSyntaxError(results)) return 'not Python: SyntaxError';
  const count = passed.filter(Boolean).length;
  if (count === passed.length) return `passes all ${count} tests`;
  return `passes ${count} of ${passed.length} tests`;
}

/** Returns details of a program for users. */
export function programDetail(
  task: RepairTask,
  { attempt, reflection, results, passed }: ProgramEvaluation,
): ProgramDetail {
  return {
    program: programText(attempt, task.signature, task.entry),
    ...(reflection ? { reflection: reflectionText(reflection) } : {}),
    tests: task.tests.map(({ args, expected }, test) => ({
      args: args.map(repr).join(', '),
      expected: repr(expected),
      got: resultText(results[test]),
      passed: passed[test],
      visible: test < VISIBLE_TESTS,
    })),
  };
}
