import { rewardWeights, SEARCH_CONTROLS } from '../../../environments/search/searchSettings.ts';
import type { Goal } from '../../../lessons/sheets.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { sheetStrings } from '../../strings/sheetStrings.ts';
import { chooseSearches, computeSearchReward, isFurther, type Search, searchesOf } from './searches.ts';
import type { PayCheck, Sheet } from './sheet.ts';

/** Example of amounts that reach each goal. */
const EXAMPLES: Readonly<Record<Goal, Readonly<Record<string, number>>>> = {
  further: { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0 },
  once: { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0.25 },
};

/**
 * Creates an exercise on the rewards of searches if several searches are allowed. The user selects amounts. For the
 * goal `further`, each further search of an attempt must have a positive reward. For the goal `once`, each further
 * search must have a negative reward, and a first search that retrieves the answer a positive one. The environment's
 * function computes the rewards (src/environments/search/searchSettings.ts).
 * @param begin initial amounts, by parameter name
 * @returns undefined if no group has a further search and a first search that retrieved the answer
 */
export function paySheet(
  groups: readonly GroupView[],
  goal: Goal,
  begin: Readonly<Record<string, number>>,
): Sheet | undefined {
  const texts = sheetStrings.pay;
  const match = chooseSearches(groups);
  if (!match) return undefined;
  const { group, searches } = match;
  const names = Object.keys(begin);
  const table = SEARCH_CONTROLS.filter(({ name }) => names.includes(name));
  const check = (values: Readonly<Record<string, number>>) => judge(searches, goal, { ...begin, ...values });
  const example = Object.fromEntries(names.map((name) => [name, EXAMPLES[goal][name] ?? begin[name] ?? 0]));
  return {
    group,
    caption: texts.caption(group.step, group.rollouts.length),
    columns: [texts.rollout, texts.searches, texts.found, texts.outcome],
    rows: group.rollouts.map((rollout, index) => {
      const rolloutSearches = searchesOf(rollout, index);
      const hits = rolloutSearches.filter(({ retrieved }) => retrieved).length;
      return {
        cells: [String(index + 1), String(rolloutSearches.length), String(hits), plain(rollout.outcome)],
        isQuestion: false,
      };
    }),
    given: texts.parts(searches.filter(isFurther).length),
    questions: [
      {
        kind: 'pay',
        label: texts.question[goal],
        table,
        begin,
        check,
        derivation: [
          texts.example(table.map(({ name, label }) => texts.amount(label, plain(example[name] ?? 0)))),
          ...check(example).reports,
        ],
      },
    ],
  };
}

function judge(searches: readonly Search[], goal: Goal, values: Readonly<Record<string, number>>): PayCheck {
  const texts = sheetStrings.pay;
  const weights = rewardWeights(values);
  const computeReward = (search: Search) => computeSearchReward(search, weights);
  const further = searches.filter(isFurther).map(computeReward);
  const firsts = searches.filter(({ count, retrieved }) => count === 1 && retrieved).map(computeReward);
  const [least, maximum] = [Math.min(...further), Math.max(...further)];
  const first = Math.min(...firsts);
  // Rewards up to 1e-5 are rounding errors.
  const met = goal === 'further' ? least > 1e-5 : maximum < -1e-5 && first > 1e-5;
  return { met, reports: [texts.first(signed(first)), texts.further(signed(least), signed(maximum))] };
}
