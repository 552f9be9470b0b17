import { childrenOf } from '../../../rollouts/forest.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain } from '../../drawing/numbers.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { rootsOf, tableOf } from './tables.ts';
import { creditIn, type ExerciseBuilder, kinds, type Question } from './task.ts';

/**
 * Exercise on a tree: the credited values of up to two continued first programs, and the advantage of one of them. The
 * credited value of a program depends on its continuations.
 */
export const tree: ExerciseBuilder = {
  suitability(group, exercise) {
    const failed = continued(group);
    if (!creditIn(group, exercise)?.intermediate.credited || failed.length === 0) return 0;
    // The score does not depend on the rule, so that two exercises can use one tree.
    const best = (turn: number) => bestOf(group, turn);
    return 1 + Number(kinds(rootsOf(group.forest).map(best)) > 1) + Number(kinds(failed.map(best)) > 1);
  },
  task(group, exercise) {
    const texts = lessonStrings.exercise;
    const { rule } = exercise;
    const { forest } = group;
    const credit = creditIn(group, exercise);
    const { credited, mean, std } = credit?.intermediate ?? {};
    const roots = rootsOf(forest);
    const [first, ...rest] = continued(group);
    const second = rest.find((turn) => first !== undefined && bestOf(group, turn) !== bestOf(group, first)) ?? rest[0];
    const selected = [first, second].filter((turn): turn is number => turn !== undefined);
    const findPosition = (turn: number) => roots.indexOf(turn);
    const valueQuestions = selected.map(
      (turn): Question => ({
        ...{ label: texts.questionValue(findPosition(turn) + 1), answer: credited?.[turn] ?? Number.NaN, rule, turn },
      }),
    );
    const last = selected.at(-1) ?? 0;
    const advantage = {
      label: texts.questionAdvantage(findPosition(last) + 1, 1),
      answer: credit?.advantage[last] ?? 0,
      rule,
      turn: last,
    };
    return {
      ...tableOf(group, [rule], selected.map(findPosition)),
      hint: [
        rule === 'murphy-mers' ? texts.meanHint : texts.bestHint,
        texts.numbers(texts.firstValues, plain(mean?.[last] ?? 0), plain(std?.[last] ?? 0)),
      ],
      questions: [...valueQuestions, advantage],
    };
  },
};

/** Returns the first programs with continuations, in descending order of the improvement by a continuation. */
function continued(group: GroupView): readonly number[] {
  const { forest } = group;
  const children = childrenOf(forest);
  const gain = (turn: number) => bestOf(group, turn) - (forest.turns[turn]?.reward ?? 0);
  return rootsOf(forest)
    .filter((turn) => (children[turn]?.length ?? 0) > 0)
    .sort((a, b) => gain(b) - gain(a));
}

/** Returns the highest reward of a first program and its continuations. */
function bestOf({ forest: { turns } }: GroupView, root: number): number {
  const subtree = turns.filter((turn, index) => index === root || turn.parent === root);
  return Math.max(...subtree.map(({ reward }) => reward));
}
