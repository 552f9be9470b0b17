import { ruleValues } from '../../../credit/ruleFacts.ts';
import { findRule } from '../../../credit/rules.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { creditOf } from '../../inspector/choice.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { chosenRollout, tokensOf } from '../exercises/tokens.ts';
import { type BoundFormula, type BoundRow, symbol } from './formula.ts';

const RULE = 'mt-ppo';

/** Indices of the columns that are highlighted in the row of the next token. */
const EXPECTED = 1;
const ADVANTAGE = 4;

/**
 * Creates the formula of GAE per token without discount (Schulman et al. 2015), for a run with turn rewards and a
 * critic.
 */
export function tokenByToken(groups: readonly GroupView[], controls: ParameterValues): BoundFormula | undefined {
  const texts = formulaStrings;
  const values = ruleValues(findRule(RULE), controls);
  for (const group of groups) {
    const { credit } = creditOf(group.forest, { rule: RULE, values: { [RULE]: values } });
    const rollout = chosenRollout(group);
    if (!credit?.tokens || !rollout) continue;
    const { advantages } = credit.tokens;
    const tokens = tokensOf(group, rollout);
    const advantage = (index: number) => advantages[tokens[index]?.tokenIndex ?? -1] ?? 0;
    return {
      caption: texts.tokens(group.step, group.rollouts.indexOf(rollout) + 1),
      row: 'token',
      symbols: texts.gae,
      lines: [
        [symbol('d'), ' = ', symbol('r'), ' + ', symbol('Vn'), ' − ', symbol('V')],
        [symbol('A'), ' = ', symbol('d'), ' + ', symbol('l'), ' · ', symbol('An')],
      ],
      columns: [texts.numberHead, texts.token, texts.expected, texts.rewardHead, texts.surprise, texts.advantage],
      ofNext: { Vn: EXPECTED, An: ADVANTAGE },
      rows: tokens.map(({ text, value, tokenReward }, index): BoundRow => {
        const after = tokens[index + 1]?.value ?? 0;
        const terms = { V: plain(value), r: plain(tokenReward), d: signed(tokenReward + after - value, 3) };
        const A = signed(advantage(index), 3);
        return {
          name: String(index + 1),
          cells: [
            { text },
            { text: terms.V, rowSymbols: ['V'] },
            { text: terms.r, rowSymbols: ['r'] },
            { text: terms.d, rowSymbols: ['d'] },
            { text: A, rowSymbols: ['A'] },
          ],
          values: {
            ...terms,
            A,
            Vn: plain(after),
            An: signed(advantage(index + 1), 3),
            l: plain(Number(values.lambda)),
          },
        };
      }),
    };
  }
  return undefined;
}
