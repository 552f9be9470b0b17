import type { FormulaName } from '../../../lessons/formula.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import type { BoundFormula } from './formula.ts';
import { tokenByToken } from './gaeFormula.ts';
import { merged } from './mergedFormula.ts';
import { bestOfTree, meanOfTree } from './murphyFormulas.ts';
import { outcomeOnly, turnByTurn } from './outcomeFormulas.ts';
import { searchPay } from './payFormula.ts';
import { meeting, trueAdvantageFormula } from './stateValueFormulas.ts';
import { programCredit, testWeightFormula } from './verpoFormulas.ts';

/**
 * Creates a formula with the numbers of a group from the user's run.
 * @param controls controls of the run
 * @returns undefined if no group is suitable
 */
export function formulaOf(
  of: FormulaName,
  groups: readonly GroupView[],
  controls: ParameterValues,
): BoundFormula | undefined {
  const [untied] = groups.filter(({ rollouts }) => new Set(rollouts.map(({ outcome }) => outcome)).size > 1);
  switch (of) {
    case 'grpo-or':
      return untied && outcomeOnly(untied);
    case 'mt-grpo':
      return untied && turnByTurn(untied);
    case 'grpo-mr':
      return untied && merged(untied);
    case 'gae':
      // Newest groups first: the values of an untrained critic are not informative.
      return tokenByToken(groups.toReversed(), controls);
    case 'murphy-mars':
      return bestOfTree(groups, controls);
    case 'murphy-mers':
      return meanOfTree(groups, controls);
    case 'verpo-tests':
      return testWeightFormula(groups, controls);
    case 'verpo':
      return programCredit(groups, controls);
    case 'rtmc':
      return meeting(groups, { kappa: Number(controls.kappa), bonus: Number(controls.bonus) });
    case 'worth':
      return trueAdvantageFormula(groups);
    case 'pay':
      return searchPay(groups, controls);
  }
}
