import type { Credit, CreditRule } from '../../credit/rule.ts';
import { findNewestCustomRule } from '../../credit/rules/custom/customRule.ts';
import { isCustomRuleName } from '../../credit/rules/custom/customSource.ts';
import { findRule, RULES } from '../../credit/rules.ts';
import { withTotals } from '../../credit/totals.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { childrenOf, type Group } from '../../rollouts/forest.ts';
import { ForestError } from '../../rollouts/forestError.ts';
import { atGranularity } from './granularity.ts';
import type { Inspected } from './inspected.ts';

/**
 * The rule that gives the credit, and the parameters of every rule that were changed, under the rules' parameter names.
 */
export interface CreditChoice {
  readonly rule: string;
  readonly values: Readonly<Record<string, ParameterValues>>;
  /** The run's values, which parameters are reset to in place of their defaults; as `values`. */
  readonly start?: Readonly<Record<string, ParameterValues>>;
  /** The granularity of the states, if it differs from the granularity of the group (granularity.ts). */
  readonly states?: string;
}

/** Credit of a rule on a group, or the reason why the rule cannot read the group. */
export type RuleOutcome =
  | { readonly rule: CreditRule; readonly credit: Credit; readonly problem?: undefined }
  | { readonly rule: CreditRule; readonly credit?: undefined; readonly problem: string };

/** Several elements ask for the same arithmetic while a slider moves. */
const known = new WeakMap<Group, Map<string, { readonly values: ParameterValues; readonly outcome: RuleOutcome }>>();

/** No parameter changed: one object, so that the cached outcome matches. */
const NONE: ParameterValues = {};

export function valuesOf(choice: CreditChoice, rule: string): ParameterValues {
  return choice.values[rule] ?? NONE;
}

/** The choice with some parameters of a rule changed. */
export function withValues(choice: CreditChoice, rule: string, changes: ParameterValues): CreditChoice {
  return { ...choice, values: { ...choice.values, [rule]: { ...valuesOf(choice, rule), ...changes } } };
}

/** The float64 rule on the group. @throws {RangeError} for a name that is no rule's */
export function creditOf(recorded: Group, choice: CreditChoice, name = choice.rule): RuleOutcome {
  const group = atGranularity(recorded, choice.states);
  const values = valuesOf(choice, name);
  const ofGroup = known.get(group) ?? new Map<string, { values: ParameterValues; outcome: RuleOutcome }>();
  known.set(group, ofGroup);
  const last = ofGroup.get(name);
  // The result of a custom rule may have arrived since the last call.
  if (last?.values === values && !(isCustomRuleName(name) && last.outcome.problem !== undefined)) return last.outcome;
  const outcome = run(findRule(name), group, values);
  ofGroup.set(name, { values, outcome });
  return outcome;
}

function run(rule: CreditRule, group: Group, values: ParameterValues): RuleOutcome {
  try {
    return { rule, credit: rule.credit(asRead(rule, group), values) };
  } catch (error) {
    if (!(error instanceof ForestError)) throw error;
    const { turn, field, problem } = error;
    return { rule, problem: new ForestError({ turn, field }, problem).message };
  }
}

/** Returns a group as a rule reads it. The sandbox prepares groups for user rules, whose credit is stored under the original group. */
export function asRead(rule: CreditRule, group: Group): Group {
  return rule.given ? group : withTotals(rule, group);
}

/** Every rule on the same group. */
export function allCredits(group: Group, choice: CreditChoice): readonly RuleOutcome[] {
  return [...RULES.map(({ name }) => name), ...listCustomRules(group, choice)].map((name) =>
    creditOf(group, choice, name),
  );
}

/** Returns the user's custom rules that have a result: the chosen one, and the one that was computed last. */
function listCustomRules(recorded: Group, { rule, states }: CreditChoice): readonly string[] {
  const newest = findNewestCustomRule(atGranularity(recorded, states));
  return [...new Set([...(isCustomRuleName(rule) ? [rule] : []), ...(newest === undefined ? [] : [newest])])];
}

/** Number of turns above which a drawing is no longer readable. */
export const MAX_DRAWN_TURNS = 1500;

/** Views that a group has something for; the best one first. */
export type ViewKind = 'programs' | 'states' | 'turns';

export function viewsOf({ group, details }: Inspected): readonly ViewKind[] {
  const { turns } = group;
  if (turns.length === 0 || turns.length > MAX_DRAWN_TURNS) return ['turns'];
  const branching = childrenOf(group).some((children) => children.length > 1);
  const programs = branching || turns.every(({ passed }) => passed) || details.some(({ detail }) => detail);
  const states = !branching && turns.every(({ state, action }) => state !== undefined && action !== undefined);
  return [...(programs ? (['programs'] as const) : []), ...(states ? (['states'] as const) : []), 'turns'];
}

/** A rule that can read the group: `wanted`, else the one that the group looks made for. */
export function selectSupportedRule(group: Group, choice: CreditChoice): string {
  const readable = allCredits(group, choice).flatMap(({ rule, credit }) => (credit ? [rule.name] : []));
  const branching = childrenOf(group).some((children) => children.length > 1);
  const candidates = [
    choice.rule,
    ...(branching ? ['murphy-mars'] : []),
    ...(group.turns.every(({ passed }) => passed) ? ['verpo'] : []),
    ...(group.turns.every(({ state }) => state !== undefined) ? ['rtmc'] : []),
  ];
  return candidates.find((name) => readable.includes(name)) ?? readable[0] ?? '';
}

/** Intermediate values that say what a turn is worth before it is compared, by rule. */
const CREDIT_FIELDS = ['credited', 'turnReward', 'return'];

/**
 * Returns the value that a rule credits a turn with, in addition to the turn's reward; undefined if it has no such
 * value.
 */
export function readTurnCredit(credit: Credit | undefined, turn: number): number | undefined {
  const name = CREDIT_FIELDS.find((candidate) => credit?.intermediate[candidate]);
  const value = name && credit?.intermediate[name]?.[turn];
  return typeof value === 'number' && !Number.isNaN(value) ? value : undefined;
}
