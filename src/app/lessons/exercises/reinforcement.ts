import { attemptsFor } from '../../../lessons/groupCondition.ts';
import type { LessonExercise } from '../../../lessons/lesson.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { ruleTitle } from '../../address/pageTables.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { rootsOf, tableOf } from './tables.ts';
import { creditIn, type ExerciseBuilder, type Question } from './task.ts';

/**
 * Minimum magnitude of an advantage in a question. Smaller nonzero advantages cannot be distinguished from 0 by eye.
 */
const CLEAR = 0.05;
/** Magnitude below which an advantage counts as 0. Two comparisons cancel only up to the ε in their divisors. */
const ZERO = 1e-3;

/**
 * Exercise on the signs of advantages: two first turns of a group become more likely, less likely or neither under two
 * rules. A turn on which the rules disagree is included if there is one.
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

/** First turn of an attempt with its advantages under the rule of the exercise and under the compared rule. */
interface EvaluatedTurn {
  /** Index of the attempt, from 0. */
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
  // Attempts that the condition of the lesson selects come first.
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

/**
 * Returns the index of the correct option: 0 for a positive advantage, 1 for an advantage near 0, 2 for a negative one.
 */
function findOption(advantage: number): number {
  return advantage > CLEAR ? 0 : advantage < -CLEAR ? 2 : 1;
}

const isClear = (advantage: number) => Math.abs(advantage) > CLEAR || Math.abs(advantage) < ZERO;
const isApart = ({ active, compared }: EvaluatedTurn) => findOption(active) !== findOption(compared);
const kindsOf = (evaluated: readonly EvaluatedTurn[]) =>
  new Set(evaluated.map(({ active }) => findOption(active))).size;
