import { mean, standardDeviation } from '../../../credit/arithmetic/normalize.ts';
import type { Credit } from '../../../credit/rule.ts';
import { findFacts } from '../../../credit/ruleFacts.ts';
import { attemptsOf } from '../../../environments/watchedTurns.ts';
import { attemptsFor, isOfKind } from '../../../lessons/groupCondition.ts';
import type { LessonExercise } from '../../../lessons/lesson.ts';
import { childrenOf, type Group } from '../../../rollouts/forest.ts';
import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';
import { ruleTitle } from '../../address/pageTables.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { exerciseStrings } from '../../strings/exerciseStrings.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import {
  type BlanksQuestion,
  type ChoiceQuestion,
  creditIn,
  type Exercise,
  type ExerciseBuilder,
  fromBestGroup,
  kinds,
  turnQuestion,
} from './exercise.ts';
import type { FormulaBuilder, FormulaRow } from './formula.ts';

// Exercises and formulas of the rules that compare the attempts of a group: GRPO-OR (Shao et al. 2024), MT-GRPO with
// α = 1 and GRPO-MR (Wei, Zeng et al. 2025).

/** Returns true if the credit of turns depends on turn rewards. For other rules the table omits the reward of turn 1. */
function rewardsTurns(rule: string): boolean {
  return findFacts(rule).requiresTurnRewards === true;
}

/**
 * Returns the table of a group with one row per attempt: searches with their rewards, or programs with the numbers of
 * passed tests.
 * @param marked indices of the attempts to which questions refer, from 0
 */
export function groupTable(
  group: GroupView,
  rules: readonly string[],
  marked: readonly number[],
): Pick<Exercise, 'columns' | 'rows'> {
  const texts = exerciseStrings;
  const hasPrograms = group.forest.turns.some(({ passed }) => passed);
  const hasTurnRewards = rules.some(rewardsTurns);
  const cells = hasPrograms ? programs(group.forest) : searches(group, hasTurnRewards);
  return {
    columns: hasPrograms
      ? [texts.rollout, texts.program, texts.secondPrograms]
      : [texts.rollout, texts.searched, ...(hasTurnRewards ? [texts.first] : []), texts.outcome],
    rows: cells.map((row, index) => ({ cells: [String(index + 1), ...row], isQuestion: marked.includes(index) })),
  };
}

function searches({ forest, rollouts }: GroupView, hasTurnRewards: boolean): readonly (readonly string[])[] {
  const attempts = attemptsOf(forest);
  return rollouts.map((rollout, index) => {
    const attempt = attempts[index];
    return [
      attempt && isOfKind(attempt, { first: 'searched' }) ? exerciseStrings.yes : exerciseStrings.no,
      ...(hasTurnRewards ? [signed(firstReward(rollout))] : []),
      signed(rollout.outcome),
    ];
  });
}

function programs(forest: Group): readonly (readonly string[])[] {
  const texts = exerciseStrings;
  const children = childrenOf(forest);
  const count = (turn: number) => forest.turns[turn]?.passed?.filter((passed) => passed === 1).length ?? 0;
  return rootsOf(forest).map((root) => [
    texts.passes(count(root), forest.turns[root]?.passed?.length ?? 0),
    children[root]?.length ? children[root].map(count).join(', ') : texts.nothing,
  ]);
}

/** Returns the indices of the first turns of a group, in order. */
export function rootsOf({ turns }: Group): readonly number[] {
  return turns.flatMap(({ parent }, index) => (parent === -1 ? [index] : []));
}

function firstReward({ turns }: RolloutView): number {
  return turns[0]?.reward ?? 0;
}

const outcomesOf = ({ rollouts }: GroupView) => rollouts.map(({ outcome }) => outcome);

/**
 * Exercise in which the user computes three advantages: of both turns of one attempt and of the first turn of another.
 * The attempts are the first two that the condition of the lesson selects, or else the attempts with the largest and
 * the smallest outcome.
 */
export const advantages: ExerciseBuilder = fromBestGroup(
  (group) => {
    if (kinds(outcomesOf(group)) < 2) return 0;
    return kinds(group.rollouts.map(firstReward)) < 2 ? 1 : 2;
  },
  (group, exercise) => {
    const { rule, parameters } = exercise;
    const credit = creditIn(group, rule, parameters);
    const outcomes = outcomesOf(group);
    const [named, alternative] = attemptsFor(group.forest, exercise.group);
    const best = named ?? outcomes.indexOf(Math.max(...outcomes));
    const worst = alternative ?? outcomes.indexOf(Math.min(...outcomes));
    const requested = [
      [best, 0],
      [best, 1],
      [worst, 0],
    ] as const;
    const questions = requested.flatMap(([rollout, position]): BlanksQuestion[] => {
      const turn = group.rollouts[rollout]?.turns[position]?.forestTurn;
      const answer = turn === undefined ? undefined : credit?.advantage[turn];
      if (turn === undefined || answer === undefined) return [];
      return [turnQuestion(exerciseStrings.questionAdvantage(rollout + 1, position + 1), answer, turn, exercise)];
    });
    return { ...groupTable(group, [rule], [best, worst]), given: comparedNumbers(group, rule), questions };
  },
);

/** Returns the mean and the standard deviation of the values that the rule compares, as text. */
function comparedNumbers({ rollouts }: GroupView, rule: string): readonly string[] {
  const texts = exerciseStrings;
  const describe = (column: string, values: readonly number[]) =>
    texts.numbers(column, plain(mean(values)), plain(standardDeviation(values, 1)));
  const firsts = rollouts.map(firstReward);
  const outcomes = rollouts.map(({ outcome }) => outcome);
  if (rule === 'grpo-mr') {
    // The return of a rollout with one turn is its outcome.
    const sums = rollouts.map(({ turns, outcome }, index) => outcome + (turns.length > 1 ? (firsts[index] ?? 0) : 0));
    return [describe(texts.sum, sums)];
  }
  return [...(rewardsTurns(rule) ? [describe(texts.first, firsts)] : []), describe(texts.outcome, outcomes)];
}

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
export const signs: ExerciseBuilder = fromBestGroup(
  (group, exercise) => {
    const evaluated = evaluateTurns(group, exercise);
    if (evaluated.length < 2) return 0;
    return 1 + Number(evaluated.some(isApart)) + Number(kinds(evaluated.map(({ active }) => findOption(active))) > 1);
  },
  (group, exercise) => {
    const texts = exerciseStrings;
    const { rule, parameters, against } = exercise;
    const evaluated = evaluateTurns(group, exercise);
    const first = evaluated.find(isApart) ?? evaluated[0];
    const rest = evaluated.filter((candidate) => candidate !== first);
    const unlike = (of: 'active' | 'compared') =>
      rest.find((candidate) => first && findOption(candidate[of]) !== findOption(first[of]));
    const second = unlike('active') ?? unlike('compared') ?? rest[0];
    const selected = [first, second].filter((candidate): candidate is EvaluatedTurn => candidate !== undefined);
    const question = (turn: number, attempt: number, name: string, advantage: number): ChoiceQuestion => ({
      kind: 'choice',
      label: texts.questionUnderRule(attempt + 1, ruleTitle(name)),
      options: [texts.moreLikely, texts.noChange, texts.blame],
      right: [findOption(advantage)],
      several: false,
      worked: { turn, choice: { rule: name, values: name === rule ? { [rule]: parameters } : {} } },
    });
    return {
      ...groupTable(
        group,
        [rule, against],
        selected.map(({ attempt }) => attempt),
      ),
      given: [],
      questions: selected.flatMap(({ attempt, turn, active, compared }) => [
        question(turn, attempt, rule, active),
        question(turn, attempt, against, compared),
      ]),
    };
  },
);

/** First turn of an attempt with its advantages under the rule of the exercise and under the compared rule. */
interface EvaluatedTurn {
  /** Index of the attempt, from 0. */
  readonly attempt: number;
  readonly turn: number;
  readonly active: number;
  readonly compared: number;
}

function evaluateTurns(group: GroupView, exercise: LessonExercise): readonly EvaluatedTurn[] {
  const active = creditIn(group, exercise.rule, exercise.parameters)?.advantage;
  const compared = creditIn(group, exercise.against)?.advantage;
  if (!active || !compared) return [];
  const named = attemptsFor(group.forest, exercise.group);
  // Attempts that the condition of the lesson selects come first.
  const order = ({ attempt }: EvaluatedTurn) => (named.includes(attempt) ? named.indexOf(attempt) : named.length);
  return rootsOf(group.forest)
    .map((turn, attempt) => {
      const values = { active: active[turn] ?? Number.NaN, compared: compared[turn] ?? Number.NaN };
      return { attempt, turn, ...values };
    })
    .filter((evaluated) => isClear(evaluated.active) && isClear(evaluated.compared))
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

/** Maximum number of groups in the table of tied groups. */
const GROUP_LIMIT = 6;
/** Magnitude up to which all advantages of a tied group count as 0, because of rounding errors. */
const TIED = 1e-6;

/**
 * Creates an exercise on several groups of a run. The user marks the groups in which all advantages of a rule are 0.
 * @returns undefined if the run has only groups of one kind
 */
export const tiedGroups: ExerciseBuilder = (groups, { rule }) => {
  const texts = exerciseStrings.tiedGroups;
  const displayed = chooseTiedGroups(groups, rule).map((entry, index) => {
    return { ...entry, name: texts.name(index, entry.group.step) };
  });
  if (displayed.length === 0) return undefined;
  return {
    caption: texts.caption(displayed.length),
    columns: [texts.group, texts.outcomes, texts.mean],
    rows: displayed.map(({ group, name }) => ({
      cells: [name, texts.rewardCounts(countOutcomes(group)), plain(mean(outcomesOf(group)))],
      isQuestion: false,
    })),
    given: [],
    questions: [
      {
        kind: 'choice',
        label: texts.question,
        options: displayed.map(({ name }) => name),
        right: displayed.flatMap(({ largest }, index) => (largest <= TIED ? [index] : [])),
        several: true,
        derivation: displayed.map(({ name, largest }) => texts.solutionText(name, largest <= TIED, largest)),
      },
    ],
  };
};

/**
 * Returns the newest tied and untied groups in the order of their steps, each with its largest magnitude of an
 * advantage; empty if there is only one kind. A group that the rule cannot read counts as tied.
 */
function chooseTiedGroups(groups: readonly GroupView[], rule: string) {
  const entries = groups.map((group) => {
    const credit = creditIn(group, rule);
    return { group, largest: credit ? Math.max(0, ...[...credit.advantage].map(Math.abs)) : 0 };
  });
  const tied = entries.filter(({ largest }) => largest <= TIED);
  const untied = entries.filter(({ largest }) => largest > TIED);
  if (tied.length === 0 || untied.length === 0) return [];
  const count = Math.min(GROUP_LIMIT / 2, tied.length);
  const chosen = new Set([...tied.slice(-count), ...untied.slice(count - GROUP_LIMIT)]);
  return entries.filter((entry) => chosen.has(entry));
}

/** Returns the outcomes and the number of attempts with each, in descending order of the outcomes. */
function countOutcomes(group: GroupView): readonly (readonly [outcome: string, attempts: number])[] {
  const counts = new Map<string, number>();
  for (const outcome of outcomesOf(group).sort((a, b) => b - a)) {
    counts.set(plain(outcome), (counts.get(plain(outcome)) ?? 0) + 1);
  }
  return [...counts];
}

/**
 * Returns a builder of a formula with one row per attempt, for the first group with different outcomes.
 * @param textsOf returns the texts of each row
 */
function attemptFormula(
  rule: string,
  textsOf: (group: GroupView, credit: Credit) => readonly FormulaRow['texts'][],
): FormulaBuilder {
  return (groups) => {
    const group = groups.find((candidate) => kinds(outcomesOf(candidate)) > 1);
    const credit = group && creditIn(group, rule);
    if (!group || !credit) return undefined;
    return {
      caption: formulaStrings.caption(group.step, group.rollouts.length),
      rows: textsOf(group, credit).map((texts, index) => ({ name: String(index + 1), texts })),
    };
  };
}

/** Returns the value of a turn of a rollout; NaN if the rollout or the rule has no such value. */
function valueAt(values: ArrayLike<number> | undefined, { turns }: RolloutView, turn: number): number {
  return values?.[turns[turn]?.forestTurn ?? -1] ?? Number.NaN;
}

const deviation = (values: readonly number[]) => plain(standardDeviation(values, 1));

/** Formula of GRPO-OR: all turns of an attempt have one advantage, from the outcome. */
export const outcomeFormula = attemptFormula('grpo-or', (group, { advantage }) => {
  const outcomes = outcomesOf(group);
  const given = { mean: plain(mean(outcomes)), std: deviation(outcomes) };
  return group.rollouts.map((rollout) => ({
    ...given,
    R: plain(rollout.outcome),
    A: signed(valueAt(advantage, rollout, 0)),
  }));
});

/** Formula of MT-GRPO: turn rewards and outcomes are compared separately. */
export const turnFormula = attemptFormula('mt-grpo', (group, { advantage }) => {
  const outcomes = outcomesOf(group);
  const firsts = group.rollouts.map(firstReward);
  const given = {
    ...{ meanI: plain(mean(firsts)), stdI: deviation(firsts) },
    ...{ meanO: plain(mean(outcomes)), stdO: deviation(outcomes) },
  };
  return group.rollouts.map((rollout) => ({
    ...given,
    RI: plain(firstReward(rollout)),
    RO: plain(rollout.outcome),
    A1: signed(valueAt(advantage, rollout, 0)),
    A2: signed(valueAt(advantage, rollout, 1)),
  }));
});

/** Formula of GRPO-MR: it compares the sums of the reward of turn 1 and the outcome. */
export const sumFormula = attemptFormula('grpo-mr', (group, { advantage, intermediate }) =>
  group.rollouts.map((rollout) => {
    const sum = valueAt(intermediate.return, rollout, 0);
    return {
      RI: plain(sum - rollout.outcome),
      RO: plain(rollout.outcome),
      R: plain(sum),
      A: signed(valueAt(advantage, rollout, 0)),
      mean: plain(valueAt(intermediate.mean, rollout, 0)),
      std: plain(valueAt(intermediate.std, rollout, 0)),
    };
  }),
);
