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
  suits(group, exercise) {
    const evaluated = evaluateTurns(group, exercise);
    return evaluated.length < 2 ? 0 : 1 + Number(evaluated.some(isApart)) + Number(kindsOf(evaluated) > 1);
  },
  task(group, exercise) {
    const texts = lessonStrings.exercise;
    const evaluated = evaluateTurns(group, exercise);
    const first = evaluated.find(isApart) ?? evaluated[0];
    const rest = evaluated.filter((candidate) => candidate !== first);
    const unlike = (of: 'own' | 'other') =>
      rest.find((candidate) => first && findOption(candidate[of]) !== findOption(first[of]));
    const second = unlike('own') ?? unlike('other') ?? rest[0];
    const selected = [first, second].filter((candidate): candidate is EvaluatedTurn => candidate !== undefined);
    const questions = selected.flatMap(({ place, turn, own, other }) =>
      (
        [
          [exercise.rule, own],
          [exercise.against, other],
        ] as const
      ).map(
        ([rule, advantage]): Question => ({
          ...{ label: texts.askUnder(place + 1, ruleTitle(rule)), answer: findOption(advantage), rule, turn },
          options: [texts.praise, texts.neither, texts.blame],
        }),
      ),
    );
    const positions = selected.map(({ place }) => place);
    return {
      ...tableOf(group, [exercise.rule, exercise.against], positions),
      hint: [texts.praiseHint],
      questions,
    };
  },
};

/** A first turn and what the two rules give it. */
interface EvaluatedTurn {
  /** Its try, from 0. */
  readonly place: number;
  readonly turn: number;
  readonly own: number;
  readonly other: number;
}

function evaluateTurns(group: GroupView, exercise: LessonExercise): readonly EvaluatedTurn[] {
  const own = creditIn(group, exercise)?.advantage;
  const other = creditIn(group, exercise, exercise.against)?.advantage;
  if (!own || !other) return [];
  const named = attemptsFor(group.forest, exercise.group);
  // Attempts that the lesson names come first.
  const order = (candidate: EvaluatedTurn) =>
    named.includes(candidate.place) ? named.indexOf(candidate.place) : named.length;
  return rootsOf(group.forest)
    .map((turn, place) => ({ place, turn, own: own[turn] ?? Number.NaN, other: other[turn] ?? Number.NaN }))
    .filter(({ own: value, other: two }) => isClear(value) && isClear(two))
    .sort((a, b) => order(a) - order(b));
}

/** Returns the index of the option: 0 for a positive advantage, 1 for neither, 2 for a negative advantage. */
function findOption(advantage: number): number {
  return advantage > CLEAR ? 0 : advantage < -CLEAR ? 2 : 1;
}

const isClear = (advantage: number) => Math.abs(advantage) > CLEAR || Math.abs(advantage) < ZERO;
const isApart = ({ own, other }: EvaluatedTurn) => findOption(own) !== findOption(other);
const kindsOf = (evaluated: readonly EvaluatedTurn[]) => new Set(evaluated.map(({ own }) => findOption(own))).size;
