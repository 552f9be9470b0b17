import {
  type RewardWeights,
  rewardWeights,
  SEARCH_CONTROLS,
  total,
  turnComponents,
} from '../../../environments/search/searchSettings.ts';
import type { Goal } from '../../../lessons/lesson.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { exerciseStrings } from '../../strings/exerciseStrings.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import type { Evaluation, ExerciseBuilder } from './exercise.ts';
import type { FormulaBuilder } from './formula.ts';

// Exercise and formula of the rewards of searches if several searches are allowed (docs/reference/search.md).

/** Executed search of an attempt. */
interface Search {
  readonly rollout: number;
  /** Number of the search in its attempt, from 1. */
  readonly count: number;
  /** True if the returned document contains the answer. */
  readonly retrieved: boolean;
}

/** Returns the executed searches of an attempt, in order. A turn with an outcome is an answer, also if it is a call. */
function searchesOf({ forest, rollouts }: GroupView, rollout: number): readonly Search[] {
  const turns = rollouts[rollout]?.turns ?? [];
  const executed = turns.filter(({ forestTurn }) => {
    const { action = '', outcome } = forest.turns[forestTurn] ?? {};
    return outcome === undefined && action.startsWith('search ');
  });
  return executed.map(({ components }, index) => ({
    ...{ rollout, count: index + 1, retrieved: (components.retrieved ?? 0) > 0 },
  }));
}

const isFurther = ({ count }: Search) => count > 1;
const isSuccessfulFirst = ({ count, retrieved }: Search) => count === 1 && retrieved;

function computeReward({ count, retrieved }: Search, weights: RewardWeights): number {
  return total(turnComponents(weights, { executed: true, retrieved, searches: count, several: true }));
}

/**
 * Returns the group with the most searches. The group has a further search, and a first search that retrieved the
 * answer. Undefined if there is no such group.
 */
function chooseSearches(groups: readonly GroupView[]) {
  return groups
    .map((group) => ({ group, searches: group.rollouts.flatMap((_, rollout) => searchesOf(group, rollout)) }))
    .filter(({ searches }) => searches.some(isFurther) && searches.some(isSuccessfulFirst))
    .sort((a, b) => b.searches.length - a.searches.length || b.group.step - a.group.step)[0];
}

/** Example of amounts that reach each goal. */
const EXAMPLES: Readonly<Record<Goal, Readonly<Record<string, number>>>> = {
  further: { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0 },
  once: { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0.25 },
};

/**
 * Creates an exercise in which the user selects amounts. For the goal `further`, each further search of an attempt must
 * have a positive reward. For the goal `once`, each further search must have a negative reward, and a first search that
 * retrieves the answer a positive one. The environment's function computes the rewards.
 */
export const searchRewards: ExerciseBuilder = (groups, { goal, begin }) => {
  const texts = exerciseStrings.pay;
  const match = chooseSearches(groups);
  if (!match) return undefined;
  const { group, searches } = match;
  const amounts = SEARCH_CONTROLS.filter(({ name }) => name in begin);
  const evaluate = (values: readonly number[]) => {
    const entered = Object.fromEntries(amounts.map(({ name }, index) => [name, values[index] ?? 0]));
    return evaluateAmounts(searches, goal, rewardWeights(entered));
  };
  const example = amounts.map(({ name }) => EXAMPLES[goal][name] ?? begin[name] ?? 0);
  return {
    group,
    caption: texts.caption(group.step, group.rollouts.length),
    columns: [texts.rollout, texts.searches, texts.found, texts.outcome],
    rows: group.rollouts.map(({ outcome }, index) => {
      const executed = searches.filter(({ rollout }) => rollout === index);
      const hits = executed.filter(({ retrieved }) => retrieved).length;
      return { cells: [index + 1, executed.length, hits, plain(outcome)].map(String), isQuestion: false };
    }),
    given: texts.parts(searches.filter(isFurther).length),
    questions: [
      {
        kind: 'blanks',
        label: texts.question[goal],
        blanks: amounts.map(({ name, label, help, min, max }) => ({ label, help, min, max, begin: begin[name] ?? 0 })),
        evaluate,
        derivation: [
          texts.example(amounts.map(({ label }, index) => texts.amount(label, plain(example[index] ?? 0)))),
          ...evaluate(example).reports,
        ],
      },
    ],
  };
};

function evaluateAmounts(searches: readonly Search[], goal: Goal, weights: RewardWeights): Evaluation {
  const texts = exerciseStrings.pay;
  const rewardsOf = (some: readonly Search[]) => some.map((search) => computeReward(search, weights));
  const further = rewardsOf(searches.filter(isFurther));
  const [least, maximum] = [Math.min(...further), Math.max(...further)];
  const first = Math.min(...rewardsOf(searches.filter(isSuccessfulFirst)));
  // Rewards up to 1e-5 are rounding errors.
  const met = goal === 'further' ? least > 1e-5 : maximum < -1e-5 && first > 1e-5;
  return { met, reports: [texts.first(signed(first)), texts.further(signed(least), signed(maximum))] };
}

/** Formula of the reward of a search. */
export const searchFormula: FormulaBuilder = (groups, controls) => {
  const texts = formulaStrings;
  const match = chooseSearches(groups);
  if (!match) return undefined;
  const { group, searches } = match;
  const weights = rewardWeights(controls);
  const given = { f: plain(weights.rewardFormat), t: plain(weights.rewardRetrieved), l: plain(weights.searchCost) };
  return {
    caption: texts.searches(group.step, searches.length),
    rows: searches.map((search) => ({
      name: String(search.rollout + 1),
      texts: {
        ...given,
        retrieved: search.retrieved ? texts.yes : texts.no,
        h: search.retrieved ? '1' : '0',
        k: String(search.count),
        r: signed(computeReward(search, weights)),
      },
    })),
  };
};
