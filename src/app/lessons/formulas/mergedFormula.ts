import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { creditOf, runChoice } from '../../inspector/choice.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { type BoundFormula, type BoundRow, normalised, symbol } from './formula.ts';

/**
 * Creates the formula of GRPO-MR: it compares the sums of the reward of turn 1 and the outcome (Wei, Zeng et al. 2025).
 */
export function merged(group: GroupView): BoundFormula | undefined {
  const texts = formulaStrings;
  const { credit } = creditOf(group.forest, runChoice('grpo-mr', {}), 'grpo-mr');
  if (!credit) return undefined;
  const { return: sums, mean, std } = credit.intermediate;
  return {
    caption: texts.caption(group.step, group.rollouts.length),
    symbols: texts.merged,
    lines: [
      [symbol('R'), ' = ', symbol('RI'), ' + ', symbol('RO')],
      [symbol('A'), ' = ', normalised('R', 'mean', 'std')],
    ],
    columns: [texts.rollout, texts.firstRewardHead, texts.outcomeHead, texts.sum, texts.advantage],
    rows: group.rollouts.map(({ outcome, turns }, index): BoundRow => {
      const turn = turns[0]?.forestTurn ?? 0;
      const at = (values: ArrayLike<number> | undefined) => values?.[turn] ?? Number.NaN;
      const terms = { RI: plain(at(sums) - outcome), RO: plain(outcome), R: plain(at(sums)) };
      const A = signed(at(credit.advantage));
      return {
        name: String(index + 1),
        cells: [
          { text: terms.RI, rowSymbols: ['RI'] },
          { text: terms.RO, rowSymbols: ['RO'] },
          { text: terms.R, symbols: ['mean', 'std'], rowSymbols: ['R'] },
          { text: A, rowSymbols: ['A'] },
        ],
        values: { ...terms, A, mean: plain(at(mean)), std: plain(at(std)) },
      };
    }),
  };
}
