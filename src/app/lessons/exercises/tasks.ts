import type { ExerciseKind, LessonExercise } from '../../../lessons/lesson.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { advantages } from './advantages.ts';
import { critic } from './critic.ts';
import { praise } from './praise.ts';
import type { Task, TaskMaker } from './task.ts';
import { tests } from './tests.ts';
import { tree } from './tree.ts';

const MAKERS: Readonly<Record<ExerciseKind, TaskMaker>> = { advantages, praise, critic, tree, tests };

/** Of a run's groups the newest of those that an exercise can ask most about; undefined where none has anything. */
export function suitedGroup(groups: readonly GroupView[], exercise: LessonExercise): GroupView | undefined {
  const maker = MAKERS[exercise.kind];
  const suits = groups.map((group) => maker.suits(group, exercise));
  const most = Math.max(0, ...suits);
  return most === 0 ? undefined : groups[suits.lastIndexOf(most)];
}

/** The exercise that a group makes. */
export function taskOf(group: GroupView, exercise: LessonExercise): Task {
  return MAKERS[exercise.kind].task(group, exercise);
}
