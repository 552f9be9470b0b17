import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../group/groupNumbers.ts';
import { runChoice } from '../../group/judging.ts';
import { creditOf } from '../../inspector/choice.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { type BoundFormula, type BoundRow, normalised, symbol } from './formula.ts';

/** GRPO-MR: what turn 1 and the end were paid is added up, and only the sums are compared (Wei, Zeng et al. 2025). */
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
    columns: [texts.rollout, texts.paidFirst, texts.paidEnd, texts.sum, texts.advantage],
    rows: group.rollouts.map(({ outcome, turns }, index): BoundRow => {
      const turn = turns[0]?.forestTurn ?? 0;
      const at = (values: ArrayLike<number> | undefined) => values?.[turn] ?? Number.NaN;
      const terms = { RI: plain(at(sums) - outcome), RO: plain(outcome), R: plain(at(sums)) };
      const A = signed(at(credit.advantage));
      return {
        name: String(index + 1),
        cells: [
          { text: terms.RI, own: ['RI'] },
          { text: terms.RO, own: ['RO'] },
          { text: terms.R, symbols: ['mean', 'std'], own: ['R'] },
          { text: A, own: ['A'] },
        ],
        values: { ...terms, A, mean: plain(at(mean)), std: plain(at(std)) },
      };
    }),
  };
}
