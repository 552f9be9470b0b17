import { attemptsFor } from '../../../lessons/groupCondition.ts';
import type { LessonExercise } from '../../../lessons/lesson.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { ruleTitle } from '../../address/pageTables.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { rootsOf, tableOf } from './tables.ts';
import { creditIn, type ExerciseBuilder, type Question } from './task.ts';

/** Advantages between zero and this value are not used in questions: they cannot be distinguished from zero by eye. */
const CLEAR = 0.05;
/** Remainder of two comparisons that cancel out, caused by the ε in each divisor. */
const ZERO = 1e-3;

/**
 * Exercise with the answers more likely, less likely or neither: two first turns of a group under two rules. If the two
 * rules judge a turn differently, the exercise includes it.
 */
export const signExercise: ExerciseBuilder = {
  suitability(group, exercise) {
    const evaluated = evaluateTurns(group, exercise);
    return evaluated.length < 2 ? 0 : 1 + Number(evaluated.some(isApart)) + Number(kindsOf(evaluated) > 1);
  },
  task(group, exercise) {
    const texts = lessonStrings.exercise;
    const evaluated = evaluateTurns(group, exercise);
    const first = evaluated.find(isApart) ?? evaluated[0];
    const rest = evaluated.filter((candidate) => candidate !== first);
    const unlike = (of: 'active' | 'compared') =>
      rest.find((candidate) => first && findOption(candidate[of]) !== findOption(first[of]));
    const second = unlike('active') ?? unlike('compared') ?? rest[0];
    const selected = [first, second].filter((candidate): candidate is EvaluatedTurn => candidate !== undefined);
    const questions = selected.flatMap(({ attempt, turn, active, compared }) =>
      (
        [
          [exercise.rule, active],
          [exercise.against, compared],
        ] as const
      ).map(
        ([rule, advantage]): Question => ({
          ...{
            label: texts.questionUnderRule(attempt + 1, ruleTitle(rule)),
            answer: findOption(advantage),
            rule,
            turn,
          },
          options: [texts.moreLikely, texts.noChange, texts.blame],
        }),
      ),
    );
    const positions = selected.map(({ attempt }) => attempt);
    return {
      ...tableOf(group, [exercise.rule, exercise.against], positions),
      hint: [texts.reinforceHint],
      questions,
    };
  },
};

/** A first turn and what the two rules give it. */
interface EvaluatedTurn {
  /** Its try, from 0. */
  readonly attempt: number;
  readonly turn: number;
  readonly active: number;
  readonly compared: number;
}

function evaluateTurns(group: GroupView, exercise: LessonExercise): readonly EvaluatedTurn[] {
  const active = creditIn(group, exercise)?.advantage;
  const compared = creditIn(group, exercise, exercise.against)?.advantage;
  if (!active || !compared) return [];
  const named = attemptsFor(group.forest, exercise.group);
  // Attempts that the lesson names come first.
  const order = (candidate: EvaluatedTurn) =>
    named.includes(candidate.attempt) ? named.indexOf(candidate.attempt) : named.length;
  return rootsOf(group.forest)
    .map((turn, attempt) => ({
      attempt,
      turn,
      active: active[turn] ?? Number.NaN,
      compared: compared[turn] ?? Number.NaN,
    }))
    .filter(({ active: value, compared: two }) => isClear(value) && isClear(two))
    .sort((a, b) => order(a) - order(b));
}

/** Returns the index of the option: 0 for a positive advantage, 1 for neither, 2 for a negative advantage. */
function findOption(advantage: number): number {
  return advantage > CLEAR ? 0 : advantage < -CLEAR ? 2 : 1;
}

const isClear = (advantage: number) => Math.abs(advantage) > CLEAR || Math.abs(advantage) < ZERO;
const isApart = ({ active, compared }: EvaluatedTurn) => findOption(active) !== findOption(compared);
const kindsOf = (evaluated: readonly EvaluatedTurn[]) =>
  new Set(evaluated.map(({ active }) => findOption(active))).size;
