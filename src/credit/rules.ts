import { ForestError, type Group } from '../rollouts/forest.ts';
import { withTotals } from './arithmetic/chains.ts';
import { type Credit, type CreditRule, ruleNamed } from './rule.ts';
import { getCustomRule, isCustomRule } from './rules/custom/customRule.ts';
import { drGrpo } from './rules/grpo/drGrpo.ts';
import { gdpo } from './rules/grpo/gdpo.ts';
import { grpoMr } from './rules/grpo/grpoMr.ts';
import { grpoMt, grpoOr } from './rules/grpo/grpoOr.ts';
import { grpoStep } from './rules/grpo/grpoStep.ts';
import { igpo } from './rules/grpo/igpo.ts';
import { maxrl } from './rules/grpo/maxrl.ts';
import { mtGrpo } from './rules/grpo/mtGrpo.ts';
import { reinforcePlusPlus } from './rules/grpo/reinforcePlusPlus.ts';
import { rloo } from './rules/grpo/rloo.ts';
import { turnCredit } from './rules/grpo/turnCredit.ts';
import { mtPpo, ppoMr, ppoOr, turnPpo } from './rules/ppo/gaeRules.ts';
import { tapo } from './rules/ppo/tapo.ts';
import { verpo } from './rules/tests/verpo/verpo.ts';
import { gigpo } from './rules/tree/gigpo.ts';
import { mtGrpoExact } from './rules/tree/mtGrpoExact.ts';
import { murphyMars } from './rules/tree/murphyMars.ts';
import { murphyMers } from './rules/tree/murphyMers.ts';
import { rtmc } from './rules/tree/rtmc.ts';
import { tempo } from './rules/tree/tempo.ts';
import { treeGrpo } from './rules/tree/treeGrpo.ts';
import { vineppo } from './rules/tree/vineppo.ts';

/** All credit rules, in the order of menus. A new rule requires a file and a line here. */
export const RULES: readonly CreditRule[] = [
  mtGrpo,
  grpoOr,
  grpoMr,
  gdpo,
  mtPpo,
  ppoOr,
  ppoMr,
  turnPpo,
  tapo,
  rloo,
  drGrpo,
  maxrl,
  reinforcePlusPlus,
  grpoMt,
  murphyMars,
  murphyMers,
  verpo,
  gigpo,
  rtmc,
  grpoStep,
  tempo,
  igpo,
  vineppo,
  mtGrpoExact,
  treeGrpo,
  turnCredit,
];

/**
 * Returns the rule with a name such as `mt-grpo`, or with the encoded name of a custom rule (encodeCustomRule).
 * @throws {RangeError} that lists the known names, for an unknown name
 */
export function findRule(name: string): CreditRule {
  return isCustomRule(name) ? getCustomRule(name) : ruleNamed(RULES, name);
}

/** Returns the credit of a group with default parameters, or the error of a rule that cannot read the group. */
export function creditOrError(rule: CreditRule, group: Group): Credit | ForestError {
  try {
    return rule.credit(withTotals(rule, group), {});
  } catch (error) {
    if (error instanceof ForestError) return error;
    throw error;
  }
}
