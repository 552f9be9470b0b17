import { countKinds, type GroupCondition } from '../../../lessons/groupCondition.ts';
import type { ExerciseKind, FormulaName, Lesson } from '../../../lessons/lesson.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import type { Exercise, ExerciseBuilder } from './exercise.ts';
import type { Formula, FormulaBuilder, FormulaLayout } from './formula.ts';
import { advantages, outcomeFormula, signs, sumFormula, tiedGroups, turnFormula } from './groupRules.ts';
import { bestOfTree, meanOfTree, programFormula, testRewards, testWeightFormula, treeValues } from './programs.ts';
import { searchFormula, searchRewards } from './searches.ts';
import { sharedState, stateFormula, stepsWithoutCredit } from './states.ts';
import { trueAdvantageFormula, trueAdvantages } from './stateValues.ts';
import { gaeFormula, tokenAdvantages } from './tokens.ts';

export const EXERCISES: Readonly<Record<ExerciseKind, ExerciseBuilder>> = {
  advantages,
  sign: signs,
  critic: tokenAdvantages,
  tree: treeValues,
  tests: testRewards,
  tied: tiedGroups,
  meeting: sharedState,
  alone: stepsWithoutCredit,
  worth: trueAdvantages,
  pay: searchRewards,
};

const FORMULAS: Readonly<Record<FormulaName, FormulaBuilder>> = {
  'grpo-or': outcomeFormula,
  'mt-grpo': turnFormula,
  'grpo-mr': sumFormula,
  gae: gaeFormula,
  'murphy-mars': bestOfTree,
  'murphy-mers': meanOfTree,
  'verpo-tests': testWeightFormula,
  verpo: programFormula,
  rtmc: stateFormula,
  worth: trueAdvantageFormula,
  pay: searchFormula,
};

const texts = formulaStrings;
const MURPHY: Omit<FormulaLayout, 'lines'> = {
  row: 'program',
  columns: [
    { head: texts.passedShare, of: 'R' },
    { head: texts.secondPrograms, of: 'seconds', selected: ['B', 'M'] },
    { head: texts.valueHead, of: 'W', all: ['mean', 'std'] },
    { head: texts.advantage, of: 'A' },
  ],
};

const LAYOUTS: Readonly<Record<FormulaName, FormulaLayout>> = {
  'grpo-or': {
    lines: ['[A] = {[R] − [mean] | [std]}'],
    columns: [
      { head: texts.outcomeHead, of: 'R', all: ['mean', 'std'] },
      { head: texts.advantage, of: 'A' },
    ],
  },
  'mt-grpo': {
    lines: ['[A1] = {[RI] − [meanI] | [stdI]} + [A2]', '[A2] = {[RO] − [meanO] | [stdO]}'],
    columns: [
      { head: texts.firstRewardHead, of: 'RI', all: ['meanI', 'stdI'] },
      { head: texts.outcomeHead, of: 'RO', all: ['meanO', 'stdO'] },
      { head: texts.advantageOf(1), of: 'A1' },
      { head: texts.advantageOf(2), of: 'A2' },
    ],
  },
  'grpo-mr': {
    lines: ['[R] = [RI] + [RO]', '[A] = {[R] − [mean] | [std]}'],
    columns: [
      { head: texts.firstRewardHead, of: 'RI' },
      { head: texts.outcomeHead, of: 'RO' },
      { head: texts.sum, of: 'R', all: ['mean', 'std'] },
      { head: texts.advantage, of: 'A' },
    ],
  },
  gae: {
    row: 'token',
    lines: ['[d] = [r] + [Vn] − [V]', '[A] = [d] + [l] · [An]'],
    columns: [
      { head: texts.token, of: 'token' },
      { head: texts.expected, of: 'V', next: 'Vn' },
      { head: texts.rewardHead, of: 'r' },
      { head: texts.surprise, of: 'd' },
      { head: texts.advantage, of: 'A', next: 'An' },
    ],
  },
  'murphy-mars': { ...MURPHY, lines: ['[W] = max([R], [B])', '[A] = {[W] − [mean] | [std]}'] },
  'murphy-mers': { ...MURPHY, lines: ['[W] = {[R] + [g] · [M] | [Z]}', '[A] = {[W] − [mean] | [std]}'] },
  'verpo-tests': {
    row: 'test',
    lines: ['[rho] = {[n] | [N]}', '[w] = exp(−[a] · [rho])', '[g] = {[w] | [d]}'],
    columns: [
      { head: texts.passedBy, of: 'passed', selected: ['n'], all: ['N'] },
      { head: texts.rate, of: 'rho', all: ['d'] },
      { head: texts.rarity, of: 'w' },
      { head: texts.samePassed, of: 'd' },
      { head: texts.weight, of: 'g' },
    ],
  },
  verpo: {
    row: 'program',
    lines: ['[A] = ([R] − [meanR]) + [b] · ([r] − [meanr])'],
    columns: [
      { head: texts.passes, of: 'passed', selected: ['r'] },
      { head: texts.testReward, of: 'r', all: ['meanr'] },
      { head: texts.attemptRewardHead, of: 'R', all: ['meanR'] },
      { head: texts.advantage, of: 'A' },
    ],
  },
  rtmc: {
    lines: ['[A] = [Q] − [V]', '[Q] = {[W] | [N]}', '[V] = {[WW] + [k] · [p] | [NN] + [k]}'],
    columns: [
      { head: texts.action, of: 'action', all: ['NN'], related: ['N'] },
      { head: texts.rest, of: 'return', all: ['WW', 'V'], related: ['W', 'Q'] },
      { head: texts.advantage, of: 'A' },
    ],
  },
  worth: {
    lines: ['[A1] = [V2] − [V1]', '[A2] = [o] − [V2]', '[A1] + [A2] = [o] − [V1]'],
    columns: [
      { head: texts.first, of: 'first', selected: ['A1'] },
      { head: texts.second, of: 'second', selected: ['A2'] },
      { head: texts.outcomeHead, of: 'o', all: ['V1'], related: ['V2'] },
    ],
  },
  pay: {
    lines: ['[r] = [f] + [t] · [h] − [l] · [k]'],
    columns: [
      { head: texts.searchHead, of: 'k', selected: ['k', 'l'] },
      { head: texts.found, of: 'retrieved', selected: ['h', 't'] },
      { head: texts.searchRewardHead, of: 'r', selected: ['r', 'f'] },
    ],
  },
};

/** Binds a formula to one of the groups of a run, oldest first. Returns undefined if no group is suitable. */
export function bindFormula(
  name: FormulaName,
  groups: readonly GroupView[],
  controls: ParameterValues,
): Formula | undefined {
  const bound = FORMULAS[name](groups, controls);
  return bound && { name, ...LAYOUTS[name], ...bound };
}

/** Part of a lesson that is created from groups of a run. */
export interface Planned<Content> {
  /** The content; undefined if no group is suitable. */
  readonly content: Content | undefined;
  /** True if the groups meet the complete condition of the lesson. If false, they meet the largest possible part. */
  readonly isComplete: boolean;
}

/** Exercises and formulas of a lesson, each list in the order of the lesson. */
export interface LessonPlan {
  readonly exercises: readonly Planned<Exercise>[];
  readonly formulas: readonly Planned<Formula>[];
}

/** Groups of a trained run, oldest first, and the controls of the run. */
export interface RunGroups {
  readonly groups: readonly GroupView[];
  readonly controls: ParameterValues;
}

/**
 * Creates the exercises of a lesson, and its formulas from other groups. A formula on the same group would show the
 * answers of an exercise.
 * @param runOf function that returns the groups of a run by name
 */
export function planLesson(
  { exercises, formulas }: Pick<Lesson, 'exercises' | 'formulas'>,
  runOf: (run: string) => RunGroups,
): LessonPlan {
  const planned = exercises.map((exercise) => {
    const { groups, controls } = runOf(exercise.run);
    return createFrom(groups, exercise.group, (some) => EXERCISES[exercise.kind](some, exercise, controls));
  });
  const reserved = planned.map(({ content }) => content?.group);
  return {
    exercises: planned,
    formulas: formulas.map(({ of, run, group }) => {
      const { groups, controls } = runOf(run);
      const free = groups.filter((view) => !reserved.includes(view));
      return createFrom(free, group, (some) => bindFormula(of, some, controls));
    }),
  };
}

/**
 * Creates content from the groups that meet the largest part of a condition.
 * @param create returns undefined if no group is suitable
 */
export function createFrom<Content>(
  groups: readonly GroupView[],
  condition: GroupCondition,
  create: (groups: readonly GroupView[]) => Content | undefined,
): Planned<Content> {
  const kinds = new Map(groups.map((group) => [group, countKinds(group.forest, condition)]));
  const allowed = groups.filter(({ step }) => step >= condition.from);
  for (const some of [allowed, groups]) {
    for (let count = condition.has.length; count >= 0; count--) {
      const content = create(some.filter((group) => kinds.get(group) === count));
      if (content) return { content, isComplete: some === allowed && count === condition.has.length };
    }
  }
  return { content: undefined, isComplete: true };
}
