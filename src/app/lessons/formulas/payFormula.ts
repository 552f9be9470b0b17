import { rewardWeights } from '../../../environments/search/searchSettings.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { chooseSearches, computeSearchReward } from '../sheets/searches.ts';
import { type BoundFormula, type BoundRow, symbol } from './formula.ts';

/** Creates the formula of the reward of a search if several searches are allowed (docs/reference/search.md). */
export function searchPay(groups: readonly GroupView[], controls: ParameterValues): BoundFormula | undefined {
  const texts = formulaStrings;
  const match = chooseSearches(groups);
  if (!match) return undefined;
  const { group, searches } = match;
  const weights = rewardWeights(controls);
  const given = {
    ...{ f: plain(weights.rewardFormat), t: plain(weights.rewardRetrieved), l: plain(weights.searchCost) },
  };
  return {
    caption: texts.searches(group.step, searches.length),
    symbols: texts.pay,
    lines: [
      [symbol('r'), ' = ', symbol('f'), ' + ', symbol('t'), ' · ', symbol('h'), ' − ', symbol('l'), ' · ', symbol('k')],
    ],
    columns: [texts.rollout, texts.searchHead, texts.found, texts.searchRewardHead],
    rows: searches.map((search): BoundRow => {
      const reward = signed(computeSearchReward(search, weights));
      return {
        name: String(search.rollout + 1),
        cells: [
          { text: String(search.count), rowSymbols: ['k', 'l'] },
          { text: search.retrieved ? texts.yes : texts.no, rowSymbols: ['h', 't'] },
          { text: reward, rowSymbols: ['r', 'f'] },
        ],
        values: { ...given, r: reward, h: search.retrieved ? '1' : '0', k: String(search.count) },
      };
    }),
  };
}
