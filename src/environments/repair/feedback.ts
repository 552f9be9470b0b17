import { repr } from '../../sandbox/repr.ts';
import type { CallResult } from '../shared/execution.ts';
import type { ProgramEvaluation } from './programRunner.ts';
import { CONTEXT, PROGRAM_LIMIT } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { exceptionName, feedbackTokens } from './values.ts';
import { COMPLETE, REFLECT } from './vocabulary.ts';

/** Text that a turn must write. A program follows a reflection. */
export type RequestedText = 'program' | 'reflection';

/** Returns the index of the first failing test in the order of the suite; undefined if a program passes all tests. */
export function firstFailure({ passed }: ProgramEvaluation, tests = passed.length): number | undefined {
  const test = passed.slice(0, tests).indexOf(false);
  return test < 0 ? undefined : test;
}

/**
 * Returns the prompt of the next turn, with one attempt. It leaves capacity for another program, and longer feedback is
 * shortened. Its tokens are:
 *
 *   <p> words def(a,k) <c> ATTEMPT <fb> in: ARGS want VALUE got RESULT <c>
 *
 * @param test index of the failing test to show
 * @param requested `reflection` replaces the last `<c>` by `<reflect>`, which requests a reflection before the program
 */
export function repairPrompt(
  task: RepairTask,
  { attempt, results }: Pick<ProgramEvaluation, 'attempt' | 'results'>,
  test: number,
  requested: RequestedText = 'program',
): readonly number[] {
  const { args, expected } = task.tests[test];
  const capacity = CONTEXT - PROGRAM_LIMIT - task.prompt.length - attempt.length - 1;
  return [
    ...task.prompt,
    ...attempt,
    ...feedbackTokens(args, expected, results[test], capacity),
    requested === 'reflection' ? REFLECT : COMPLETE,
  ];
}

/** Formats feedback for users: "f([3, 5]) should give 8 and gives 5". */
export function feedbackText(task: RepairTask, { complete, results }: ProgramEvaluation, test: number): string {
  if (!complete) return 'the program does not end';
  const { expected } = task.tests[test];
  const result = results[test];
  const got = resultText(result);
  const verb = 'value' in result ? 'gives' : got === 'Timeout' ? 'runs into a' : 'raises';
  return `${callText(task, test)} should give ${repr(expected)} and ${verb} ${got}`;
}

/** Formats a call: "f([3, 5], 2)". */
function callText({ entry, tests }: RepairTask, test: number): string {
  return `${entry}(${tests[test].args.map(repr).join(', ')})`;
}

/** Formats the result of a call for users: the value, or the name of the exception in feedback. */
export function resultText(result: CallResult): string {
  return 'value' in result ? repr(result.value) : exceptionName(result.exception);
}
