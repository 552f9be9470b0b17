import { childrenOf, type Group } from '../../../rollouts/forest.ts';
import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';
import { signed } from '../../drawing/numbers.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import type { Task } from './task.ts';

/** Table of a task. */
type Table = Pick<Task, 'columns' | 'rows'>;

/** Rules that use the reward of turn 1. For other rules the table omits this reward. */
const TURN_REWARD_RULES: readonly string[] = ['mt-grpo', 'grpo-mr'];

/** Returns true if a rule uses the reward of turn 1. */
export function rewardsTurns(rule: string): boolean {
  return TURN_REWARD_RULES.includes(rule);
}

/**
 * Returns the table of a group with one row per attempt: searches with their rewards, or programs with the numbers of
 * passed tests.
 * @param questionTurns indices of the attempts to which questions refer, from 0
 */
export function tableOf(group: GroupView, rules: readonly string[], questionTurns: readonly number[]): Table {
  return group.forest.turns.some(({ passed }) => passed)
    ? programs(group.forest, questionTurns)
    : searches(group, rules.some(rewardsTurns), questionTurns);
}

function searches({ rollouts }: GroupView, first: boolean, questionTurns: readonly number[]): Table {
  const texts = lessonStrings.exercise;
  return {
    columns: [texts.rollout, texts.searched, ...(first ? [texts.first] : []), texts.outcome],
    rows: rollouts.map((rollout, index) => ({
      name: String(index + 1),
      isQuestion: questionTurns.includes(index),
      cells: [
        searched(rollout) ? texts.yes : texts.no,
        ...(first ? [signed(firstReward(rollout))] : []),
        signed(rollout.outcome),
      ],
    })),
  };
}

function programs(forest: Group, questionTurns: readonly number[]): Table {
  const texts = lessonStrings.exercise;
  const children = childrenOf(forest);
  const passed = (turn: number) => count(forest.turns[turn]?.passed);
  return {
    columns: [texts.rollout, texts.program, texts.secondPrograms],
    rows: rootsOf(forest).map((root, index) => ({
      name: String(index + 1),
      isQuestion: questionTurns.includes(index),
      cells: [
        texts.passes(passed(root), forest.turns[root]?.passed?.length ?? 0),
        children[root]?.length ? children[root].map((child) => texts.tests(passed(child))).join(', ') : texts.nothing,
      ],
    })),
  };
}

/** Returns the question of a group in the notation of the lessons: table 1 for `table t0`, −1 for `neg 1`. */
export function questionText({ question }: GroupView): string {
  return question
    .replace(/^table t(\d+)$/, (_, table: string) => lessonStrings.exercise.table(Number(table) + 1))
    .replace(/\bneg (\d+)/g, '−$1')
    .replace(/ \((\w+(?:, \w+)*)\)$/, (_, inputs: string) => lessonStrings.exercise.inputs(inputs));
}

/** Returns the indices of the first turns of a group, in order. */
export function rootsOf({ turns }: Group): readonly number[] {
  return turns.flatMap(({ parent }, index) => (parent === -1 ? [index] : []));
}

export function firstReward({ turns }: RolloutView): number {
  return turns[0]?.reward ?? 0;
}

function searched({ turns }: RolloutView): boolean {
  return (turns[0]?.components.executed ?? 0) > 0;
}

function count(passed: readonly number[] | undefined): number {
  return passed?.reduce((sum, value) => sum + value, 0) ?? 0;
}
