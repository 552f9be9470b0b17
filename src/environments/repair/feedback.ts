import { repr } from '../../sandbox/repr.ts';
import type { CallResult } from '../shared/execution.ts';
import type { ProgramEvaluation } from './programRunner.ts';
import { CONTEXT, PROGRAM_LIMIT } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { exceptionName, feedbackTokens } from './values.ts';
import { COMPLETE, REFLECT } from './vocabulary.ts';

/** Text that a turn is to write; a reflection is followed by a program. */
export type RequestedText = 'program' | 'reflection';

/** The first test, in the order of the suite, that a program fails; undefined where it passes them. */
export function firstFailure({ passed }: ProgramEvaluation, tests = passed.length): number | undefined {
  const test = passed.slice(0, tests).indexOf(false);
  return test < 0 ? undefined : test;
}

/**
 * The next turn's prompt, a window of one attempt: `<p> words def(a,k) <c> ATTEMPT <fb> in: ARGS want VALUE got RESULT
 * <c>`. It leaves room for another program. If the feedback is too long for that, it is shortened.
 * @param test the failing test to show
 * @param requested for a program, or for a reflection before it: then `<reflect>` is in place of the last `<c>`
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

/** Feedback for people: "f([3, 5]) should give 8 and gives 5". */
export function feedbackText(task: RepairTask, { complete, results }: ProgramEvaluation, test: number): string {
  if (!complete) return 'the program does not end';
  const { expected } = task.tests[test];
  const result = results[test];
  const got = resultText(result);
  const verb = 'value' in result ? 'gives' : got === 'Timeout' ? 'runs into a' : 'raises';
  return `${callText(task, test)} should give ${repr(expected)} and ${verb} ${got}`;
}

/** "f([3, 5], 2)" */
function callText({ entry, tests }: RepairTask, test: number): string {
  return `${entry}(${tests[test].args.map(repr).join(', ')})`;
}

/** Result of a call as text for people: a value, or the exception by its name in feedback. */
export function resultText(result: CallResult): string {
  return 'value' in result ? repr(result.value) : exceptionName(result.exception);
}
