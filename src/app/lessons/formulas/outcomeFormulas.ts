import { mean, standardDeviation } from '../../../credit/arithmetic/normalize.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { creditOf, runChoice } from '../../inspector/choice.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { type BoundFormula, type BoundRow, normalised, symbol } from './formula.ts';

/** Creates the formula of GRPO-OR: all turns of an attempt have one advantage, from the outcome (Shao et al. 2024). */
export function outcomeOnly(group: GroupView): BoundFormula | undefined {
  const texts = formulaStrings;
  const { credit } = creditOf(group.forest, runChoice('grpo-or', {}), 'grpo-or');
  if (!credit) return undefined;
  const outcomes = group.rollouts.map(({ outcome }) => outcome);
  const given = { mean: plain(mean(outcomes)), std: plain(standardDeviation(outcomes, 1)) };
  return {
    caption: texts.caption(group.step, outcomes.length),
    symbols: texts.outcome,
    lines: [[symbol('A'), ' = ', normalised('R', 'mean', 'std')]],
    columns: [texts.rollout, texts.outcomeHead, texts.advantage],
    rows: group.rollouts.map(({ outcome, turns }, index): BoundRow => {
      const advantage = signed(credit.advantage[turns[0]?.forestTurn ?? 0] ?? Number.NaN);
      return {
        name: String(index + 1),
        cells: [
          { text: plain(outcome), symbols: ['mean', 'std'], rowSymbols: ['R'] },
          { text: advantage, rowSymbols: ['A'] },
        ],
        values: { ...given, R: plain(outcome), A: advantage },
      };
    }),
  };
}

/** Creates the formula of MT-GRPO: turn rewards and outcomes are compared separately (Wei, Zeng et al. 2025, α = 1). */
export function turnByTurn(group: GroupView): BoundFormula | undefined {
  const texts = formulaStrings;
  const { credit } = creditOf(group.forest, runChoice('mt-grpo', {}), 'mt-grpo');
  if (!credit) return undefined;
  const outcomes = group.rollouts.map(({ outcome }) => outcome);
  const firsts = group.rollouts.map(({ turns }) => turns[0]?.reward ?? 0);
  const given = {
    ...{ meanI: plain(mean(firsts)), stdI: plain(standardDeviation(firsts, 1)) },
    ...{ meanO: plain(mean(outcomes)), stdO: plain(standardDeviation(outcomes, 1)) },
  };
  return {
    caption: texts.caption(group.step, outcomes.length),
    symbols: texts.turns,
    lines: [
      [symbol('A1'), ' = ', normalised('RI', 'meanI', 'stdI'), ' + ', symbol('A2')],
      [symbol('A2'), ' = ', normalised('RO', 'meanO', 'stdO')],
    ],
    columns: [texts.rollout, texts.firstRewardHead, texts.outcomeHead, texts.advantageOf(1), texts.advantageOf(2)],
    rows: group.rollouts.map(({ outcome, turns }, index): BoundRow => {
      const [A1 = '', A2 = ''] = [0, 1].map((turn) =>
        signed(credit.advantage[turns[turn]?.forestTurn ?? -1] ?? Number.NaN),
      );
      const first = plain(firsts[index] ?? 0);
      return {
        name: String(index + 1),
        cells: [
          { text: first, symbols: ['meanI', 'stdI'], rowSymbols: ['RI'] },
          { text: plain(outcome), symbols: ['meanO', 'stdO'], rowSymbols: ['RO'] },
          { text: A1, rowSymbols: ['A1'] },
          { text: A2, rowSymbols: ['A2'] },
        ],
        values: { ...given, RI: first, RO: plain(outcome), A1, A2 },
      };
    }),
  };
}
