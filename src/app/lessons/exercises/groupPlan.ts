import { countKinds, type GroupCondition } from '../../../lessons/groupCondition.ts';
import type { Lesson } from '../../../lessons/lesson.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { formulaOf } from '../formulas/formulaOf.ts';
import { sheetOf } from '../sheets/sheetOf.ts';
import { findExerciseGroup } from './tasks.ts';

/** Groups from which a formula or an exercise is created. */
export interface GroupChoice {
  /** Candidate groups, oldest first; empty if no group is suitable. */
  readonly groups: readonly GroupView[];
  /** True if the groups meet the complete condition of the lesson. If false, they meet the largest possible part. */
  readonly complete: boolean;
}

/** Groups for the formulas and exercises of a lesson, each list in the order of the lesson. */
export interface GroupPlan {
  readonly exercises: readonly GroupChoice[];
  readonly sheets: readonly GroupChoice[];
  readonly formulas: readonly GroupChoice[];
}

/** Groups of a trained run, oldest first, and the controls of the run. */
export interface RunGroups {
  readonly groups: readonly GroupView[];
  readonly controls: ParameterValues;
}

const NO_GROUP: GroupChoice = { groups: [], complete: true };

/**
 * Selects groups for the exercises of a lesson, and other groups for its formulas. A formula on the same group would
 * show the answers of an exercise.
 * @param runOf function that returns the groups of a run by name
 */
export function planGroups(
  { exercises, sheets, formulas }: Pick<Lesson, 'exercises' | 'sheets' | 'formulas'>,
  runOf: (run: string) => RunGroups,
): GroupPlan {
  const reserved = new Set<GroupView>();
  const reserve = (group: GroupView | undefined) => {
    if (group) reserved.add(group);
  };
  const forExercises = exercises.map((exercise): GroupChoice => {
    const choice = chooseGroups(
      runOf(exercise.run).groups,
      exercise.group,
      (groups) => findExerciseGroup(groups, exercise) !== undefined,
    );
    const group = findExerciseGroup(choice.groups, exercise);
    reserve(group);
    return group ? { ...choice, groups: [group] } : choice;
  });
  const forSheets = sheets.map((sheet) => {
    const { groups, controls } = runOf(sheet.run);
    const choice = chooseGroups(groups, sheet.group, (some) => sheetOf(sheet, some, controls) !== undefined);
    reserve(sheetOf(sheet, choice.groups, controls)?.group);
    return choice;
  });
  const forFormulas = formulas.map(({ of, run, group }) => {
    const { groups, controls } = runOf(run);
    const free = groups.filter((view) => !reserved.has(view));
    return chooseGroups(free, group, (some) => formulaOf(of, some, controls) !== undefined);
  });
  return { exercises: forExercises, sheets: forSheets, formulas: forFormulas };
}

/**
 * Returns the groups that meet the largest part of a condition and from which a part of a lesson can be created.
 * @param accepts returns true if the part can be created from the groups
 */
export function chooseGroups(
  groups: readonly GroupView[],
  condition: GroupCondition,
  accepts: (groups: readonly GroupView[]) => boolean,
): GroupChoice {
  const kinds = new Map(groups.map((group) => [group, countKinds(group.forest, condition)]));
  const allowed = groups.filter(({ step }) => step >= condition.from);
  for (const some of [allowed, groups]) {
    for (let count = condition.has.length; count >= 0; count--) {
      const candidates = some.filter((group) => kinds.get(group) === count);
      const complete = some === allowed && count === condition.has.length;
      if (accepts(candidates)) return { groups: candidates, complete };
    }
  }
  return NO_GROUP;
}
