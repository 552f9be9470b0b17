import { paths } from '../../../credit/arithmetic/chains.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { plain } from '../../drawing/numbers.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { creditIn, type ExerciseBuilder, kinds, type Question, type Task } from './task.ts';

/** Exercise on the pass rate of a test, and on the test reward and the advantage of a partly correct program. */
export const tests: ExerciseBuilder = {
  suitability(group, exercise) {
    const rates = creditIn(group, exercise)?.intermediate.passRate;
    if (!rates || halfRight(group.forest) === undefined) return 0;
    const solved = kinds(group.forest.turns.map(({ outcome }) => outcome));
    return 1 + Number(kinds([...rates]) > 2) + Number(solved > 2);
  },
  task(group, exercise) {
    const texts = lessonStrings.exercise;
    const { rule } = exercise;
    const credit = creditIn(group, exercise);
    const of = credit?.intermediate ?? {};
    const rates = [...(of.passRate ?? [])];
    const turn = halfRight(group.forest) ?? 0;
    const test = rarest(group.forest, turn, rates);
    const questions: readonly Question[] = [
      { label: texts.questionRate(test + 1), answer: rates[test] ?? Number.NaN, rule, turn },
      {
        label: texts.questionReward(nameOf(group.forest, turn)),
        answer: of.turnReward?.[turn] ?? Number.NaN,
        rule,
        turn,
      },
      {
        label: texts.questionProgram(nameOf(group.forest, turn)),
        answer: credit?.advantage[turn] ?? Number.NaN,
        rule,
        turn,
      },
    ];
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const ends = paths(group.forest).map((chain) => of.trajectoryReward?.[chain[0] ?? 0] ?? 0);
    return {
      ...table(group.forest, turn, test, [...(of.weights ?? [])]),
      hint: [
        texts.testsHint,
        texts.means(
          plain(mean([...(of.turnReward ?? [])])),
          plain(of.trajectoryReward?.[turn] ?? 0),
          plain(mean(ends)),
        ),
      ],
      questions,
    };
  },
};

/** Returns a table with one row per test: the number of programs that pass it, its weight, and the result of `turn`. */
function table(
  forest: Group,
  turn: number,
  question: number,
  weights: readonly number[],
): Pick<Task, 'columns' | 'rows'> {
  const texts = lessonStrings.exercise;
  const all = forest.turns.length;
  return {
    columns: [texts.test, texts.passing, texts.weight, texts.passedBy(nameOf(forest, turn))],
    rows: weights.map((weight, test) => ({
      ...{ name: String(test + 1), isQuestion: test === question },
      cells: [
        texts.passes(forest.turns.filter(({ passed }) => passed?.[test] === 1).length, all),
        weight.toFixed(3),
        forest.turns[turn]?.passed?.[test] === 1 ? texts.yes : texts.no,
      ],
    })),
  };
}

/** Returns the name of a program: "3.1" is the first program of attempt 3. */
function nameOf(forest: Group, turn: number): string {
  const chains = paths(forest);
  const at = chains.findIndex((chain) => chain.includes(turn));
  return `${at + 1}.${(chains[at]?.indexOf(turn) ?? 0) + 1}`;
}

/** Returns the first program that passes some but not all of its tests; undefined if there is no such program. */
function halfRight({ turns }: Group): number | undefined {
  const index = turns.findIndex(({ passed }) => passed?.includes(1) && passed.includes(0));
  return index === -1 ? undefined : index;
}

/** Returns the test with the lowest pass rate among the tests that a program passes. */
function rarest({ turns }: Group, turn: number, rates: readonly number[]): number {
  const passed = turns[turn]?.passed ?? [];
  const passedRates = rates.map((rate, test) => (passed[test] === 1 ? rate : Number.POSITIVE_INFINITY));
  return passedRates.indexOf(Math.min(...passedRates));
}
