import { mean, standardDeviation } from '../../../credit/arithmetic/normalize.ts';
import { attemptsFor } from '../../../lessons/groupCondition.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain } from '../../drawing/numbers.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { firstReward, rewardsTurns, tableOf } from './tables.ts';
import { creditIn, type ExerciseBuilder, kinds, type Question } from './task.ts';

/**
 * Exercise in which the user computes three advantages: of both turns of one attempt and of the first turn of another.
 * The attempts are the first two that the condition of the lesson selects, or else the attempts with the largest and
 * the smallest outcome.
 */
export const advantages: ExerciseBuilder = {
  suitability({ rollouts }) {
    if (kinds(rollouts.map(({ outcome }) => outcome)) < 2) return 0;
    return kinds(rollouts.map(firstReward)) < 2 ? 1 : 2;
  },
  task(group, exercise) {
    const texts = lessonStrings.exercise;
    const { rule } = exercise;
    const credit = creditIn(group, exercise);
    const outcomes = group.rollouts.map(({ outcome }) => outcome);
    const [named, alternative] = attemptsFor(group.forest, exercise.group);
    const best = named ?? outcomes.indexOf(Math.max(...outcomes));
    const worst = alternative ?? outcomes.indexOf(Math.min(...outcomes));
    const requested = [
      [best, 0],
      [best, 1],
      [worst, 0],
    ] as const;
    const questions = requested.flatMap(([rollout, position]): Question[] => {
      const turn = group.rollouts[rollout]?.turns[position]?.forestTurn;
      const answer = turn === undefined ? undefined : credit?.advantage[turn];
      if (turn === undefined || answer === undefined) return [];
      return [{ label: texts.questionAdvantage(rollout + 1, position + 1), answer, rule, turn }];
    });
    const hint = [rule === 'grpo-mr' ? texts.sumHint : texts.hintText, ...given(group, rule)];
    return { ...tableOf(group, [rule], [best, worst]), hint, questions };
  },
};

/** Returns the mean and the standard deviation of the values that the rule compares, as text. */
function given({ rollouts }: GroupView, rule: string): readonly string[] {
  const texts = lessonStrings.exercise;
  const describeColumn = (column: string, values: readonly number[]) =>
    texts.numbers(column, plain(mean(values)), plain(standardDeviation(values, 1)));
  const firsts = rollouts.map(firstReward);
  const outcomes = rollouts.map(({ outcome }) => outcome);
  if (rule === 'grpo-mr') {
    // The return of a rollout with one turn is its outcome.
    const sums = rollouts.map(({ turns, outcome }, index) => outcome + (turns.length > 1 ? (firsts[index] ?? 0) : 0));
    return [describeColumn(texts.sum, sums)];
  }
  return [
    ...(rewardsTurns(rule) ? [describeColumn(texts.first, firsts)] : []),
    describeColumn(texts.outcome, outcomes),
  ];
}
