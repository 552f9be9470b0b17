import type { ExerciseKind, LessonExercise } from '../../../lessons/lesson.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { advantages } from './advantages.ts';
import { critic } from './critic.ts';
import { signExercise } from './reinforcement.ts';
import type { ExerciseBuilder, Task } from './task.ts';
import { tests } from './tests.ts';
import { tree } from './tree.ts';

const MAKERS: Readonly<Record<ExerciseKind, ExerciseBuilder>> = {
  advantages,
  sign: signExercise,
  critic,
  tree,
  tests,
};

/** Returns the newest of the most suitable groups for an exercise; undefined if no group is suitable. */
export function findExerciseGroup(groups: readonly GroupView[], exercise: LessonExercise): GroupView | undefined {
  const factory = MAKERS[exercise.kind];
  const scores = groups.map((group) => factory.suitability(group, exercise));
  const maximum = Math.max(0, ...scores);
  return maximum === 0 ? undefined : groups[scores.lastIndexOf(maximum)];
}

/** Creates the exercise from a group. */
export function taskOf(group: GroupView, exercise: LessonExercise): Task {
  return MAKERS[exercise.kind].task(group, exercise);
}
