import { paths } from '../../../credit/arithmetic/chains.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { plain } from '../../group/groupNumbers.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { creditIn, type ExerciseBuilder, kinds, type Question, type Task } from './task.ts';

/** A pass rate, what a half-right program earns for its tests, and its advantage. */
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

/** A row for each test: how many programs pass it, its weight, and whether the program in question passes it. */
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

/** "3.1" is the first program of try 3. */
function nameOf(forest: Group, turn: number): string {
  const chains = paths(forest);
  const at = chains.findIndex((chain) => chain.includes(turn));
  return `${at + 1}.${(chains[at]?.indexOf(turn) ?? 0) + 1}`;
}

/** The first program that passes some of its tests and not all; undefined for none. */
function halfRight({ turns }: Group): number | undefined {
  const index = turns.findIndex(({ passed }) => passed?.includes(1) && passed.includes(0));
  return index === -1 ? undefined : index;
}

/** Of the tests that a program passes, the one that the fewest others pass. */
function rarest({ turns }: Group, turn: number, rates: readonly number[]): number {
  const passed = turns[turn]?.passed ?? [];
  const passedRates = rates.map((rate, test) => (passed[test] === 1 ? rate : Number.POSITIVE_INFINITY));
  return passedRates.indexOf(Math.min(...passedRates));
}
