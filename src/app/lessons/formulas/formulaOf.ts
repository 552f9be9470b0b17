import type { FormulaName } from '../../../lessons/formula.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import type { BoundFormula } from './formula.ts';
import { tokenByToken } from './gaeFormula.ts';
import { merged } from './mergedFormula.ts';
import { bestOfTree, meanOfTree } from './murphyFormulas.ts';
import { outcomeOnly, turnByTurn } from './outcomeFormulas.ts';
import { searchPay } from './payFormula.ts';
import { programCredit, testWorth } from './verpoFormulas.ts';
import { meeting, worth } from './worthFormulas.ts';

/**
 * A formula with the numbers of a group of the reader's run: the oldest one that has something to compare, since exercises
 * ask about the newest.
 * @param controls of that run
 * @returns undefined where no group fits
 */
export function formulaOf(
  of: FormulaName,
  groups: readonly GroupView[],
  controls: ParameterValues,
): BoundFormula | undefined {
  const [untied] = groups.filter(({ rollouts }) => new Set(rollouts.map(({ outcome }) => outcome)).size > 1);
  const early = groups.slice(0, Math.max(1, Math.floor(groups.length / 2)));
  switch (of) {
    case 'grpo-or':
      return untied && outcomeOnly(untied);
    case 'mt-grpo':
      return untied && turnByTurn(untied);
    case 'grpo-mr':
      return untied && merged(untied);
    case 'gae':
      // At first a critic knows nothing.
      return tokenByToken(early.toReversed(), controls);
    case 'murphy-mars':
      return bestOfTree(groups, controls);
    case 'murphy-mers':
      return meanOfTree(groups, controls);
    case 'verpo-tests':
      return testWorth(groups, controls);
    case 'verpo':
      return programCredit(groups, controls);
    case 'rtmc':
      return meeting(early, { kappa: Number(controls.kappa), bonus: Number(controls.bonus) });
    case 'worth':
      return worth(early);
    case 'pay':
      return searchPay(early, controls);
  }
}
