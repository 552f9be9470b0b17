import { isOfTurns } from '../../credit/rule.ts';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { childrenOf, type Group } from '../../rollouts/forest.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { tablesFor } from '../address/pageTables.ts';
import { creditOf } from '../inspector/choice.ts';

/** Plain rules that serve as baselines of a comparison, if an environment has them. */
const BASELINES = ['grpo-or', 'grpo-mt'];

/**
 * Returns the rules of an environment that can be measured: rules that assign credit to turns. Rules that need a critic
 * are included only if the active rule has a critic.
 * @param active active rule, which may be a custom rule
 */
export function measurableRules(environment: EnvironmentName, active = ''): readonly string[] {
  const { rule } = tablesFor(environment);
  const learned = rule.options.includes(active) && findRule(active).unit === 'token';
  const offered = rule.options
    .map(findRule)
    .filter((candidate) => candidate.unit === 'turn' || (learned && isOfTurns(candidate)));
  const names = offered.map(({ name }) => name);
  return isCustomRuleName(active) ? [...names, active] : names;
}

/** Returns the reason why a rule cannot compute credit for a group. Returns undefined if it can or without a group. */
export function findCreditProblem(group: Group | undefined, rule: string): string | undefined {
  return group && creditOf(group, NO_CHOICE, rule).problem;
}

const NO_CHOICE = { rule: '', values: {} };

/**
 * Returns up to three rules that can compute credit for the group, in order of preference: a baseline, the active rule,
 * the pinned rules of the environment, and other rules.
 */
export function fittingRules(environment: EnvironmentName, active: string, group?: Group): readonly string[] {
  const measurable = measurableRules(environment, active);
  const { pinned } = ENVIRONMENTS[environment];
  const baseline = pinned.find((name) => BASELINES.includes(name)) ?? '';
  const requested = [baseline, active, ...pinned, ...measurable];
  const readable = requested.filter(
    (name) => measurable.includes(name) && findCreditProblem(group, name) === undefined,
  );
  return [...new Set(readable)].slice(0, 3);
}

/** Returns the path from the first to the last turn of each rollout [rollouts][turns], in order of the last turns. */
export function rolloutsOf(group: Group): number[][] {
  return childrenOf(group).flatMap((children, turn) => {
    if (children.length > 0) return [];
    const path: number[] = [];
    for (let at = turn; at >= 0; at = group.turns[at]?.parent ?? -1) path.unshift(at);
    return [path];
  });
}
