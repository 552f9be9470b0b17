import { withTotals } from '../../credit/arithmetic/chains.ts';
import type { Credit, CreditRule } from '../../credit/rule.ts';
import { ruleValues } from '../../credit/ruleFacts.ts';
import { findNewestCustomRule, isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { findRule, RULES } from '../../credit/rules.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { childrenOf, ForestError, type Group } from '../../rollouts/forest.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { atGranularity, type Inspected } from './inspected.ts';

/**
 * Selected credit rule, and the changed parameters of all rules by rule name and parameter name.
 */
export interface CreditChoice {
  readonly rule: string;
  readonly values: Readonly<Record<string, ParameterValues>>;
  /** Values of the run, in the form of `values`. If present, a reset restores these values instead of the defaults. */
  readonly start?: Readonly<Record<string, ParameterValues>>;
  /** Granularity of the states, if it differs from the granularity of the group (see `granularities`). */
  readonly states?: string;
}

/** Credit of a rule on a group, or the reason why the rule cannot read the group. */
export type RuleOutcome =
  | { readonly rule: CreditRule; readonly credit: Credit; readonly problem?: undefined }
  | { readonly rule: CreditRule; readonly credit?: undefined; readonly problem: string };

/** Cached outcome of each rule on a group. Several elements request the same credit while a slider moves. */
const known = new WeakMap<Group, Map<string, { readonly values: ParameterValues; readonly outcome: RuleOutcome }>>();

/** Parameters of a rule without changes. It is a single object, because the cache compares parameters by identity. */
const NONE: ParameterValues = {};

export function valuesOf(choice: CreditChoice, rule: string): ParameterValues {
  return choice.values[rule] ?? NONE;
}

/** Returns a choice with changed parameters of a rule. */
export function withValues(choice: CreditChoice, rule: string, changes: ParameterValues): CreditChoice {
  return { ...choice, values: { ...choice.values, [rule]: { ...valuesOf(choice, rule), ...changes } } };
}

/**
 * Computes the credit of a rule on a group in float64. The outcome is cached.
 * @throws {RangeError} if no rule has the name
 */
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

/**
 * Returns a group as a rule reads it. The group is unchanged for a custom rule: the sandbox prepares its groups, and
 * the credit is stored under the original group.
 */
export function asRead(rule: CreditRule, group: Group): Group {
  return rule.given ? group : withTotals(rule, group);
}

/** Returns the outcomes of all built-in rules, and of the custom rules that have a result, on one group. */
export function allCredits(group: Group, choice: CreditChoice): readonly RuleOutcome[] {
  return [...RULES.map(({ name }) => name), ...listCustomRules(group, choice)].map((name) =>
    creditOf(group, choice, name),
  );
}

/** Returns the names of the custom rules to show: the selected rule, and the rule that was computed last. */
function listCustomRules(recorded: Group, { rule, states }: CreditChoice): readonly string[] {
  const newest = findNewestCustomRule(atGranularity(recorded, states));
  return [...new Set([...(isCustomRuleName(rule) ? [rule] : []), ...(newest === undefined ? [] : [newest])])];
}

/** Number of turns above which a drawing is no longer readable. */
export const MAX_DRAWN_TURNS = 1500;

/** View of a group: trees of programs, a graph of states, or the table of turns only. */
export type ViewKind = 'programs' | 'states' | 'turns';

export function viewsOf({ group, details }: Inspected): readonly ViewKind[] {
  const { turns } = group;
  if (turns.length === 0 || turns.length > MAX_DRAWN_TURNS) return ['turns'];
  const branching = childrenOf(group).some((children) => children.length > 1);
  const programs = branching || turns.every(({ passed }) => passed) || details.some(({ detail }) => detail);
  const states = !branching && turns.every(({ state, action }) => state !== undefined && action !== undefined);
  return [...(programs ? (['programs'] as const) : []), ...(states ? (['states'] as const) : []), 'turns'];
}

/**
 * Returns a rule that can read the group: the selected rule if possible, otherwise a rule that suits the structure of
 * the group. The name is empty if no rule can read the group.
 */
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

/** Intermediate values with the credit of a turn before its comparison with other turns. Each rule has at most one. */
const CREDIT_FIELDS = ['credited', 'turnReward', 'return'];

/**
 * Returns the value of a turn that a rule compares with other turns, for example its return; undefined if the rule has
 * no such value.
 */
export function readTurnCredit(credit: Credit | undefined, turn: number): number | undefined {
  const name = CREDIT_FIELDS.find((candidate) => credit?.intermediate[candidate]);
  const value = name && credit?.intermediate[name]?.[turn];
  return typeof value === 'number' && !Number.isNaN(value) ? value : undefined;
}

/** Returns the most specific view of a group: programs, else the states of tool calls, else turns. */
export function liveView({ rollouts }: GroupView, inspected: Inspected): ViewKind {
  const turns = rollouts.flatMap((rollout) => rollout.turns);
  const preferred = turns.some(({ detail }) => detail)
    ? 'programs'
    : turns.some(({ tool }) => tool)
      ? 'states'
      : 'turns';
  return viewsOf(inspected).includes(preferred) ? preferred : 'turns';
}

/** Returns the rule of a run with the parameters of each rule under the run's controls. */
export function runChoice(rule: string, controls: ParameterValues): CreditChoice {
  return {
    rule,
    values: Object.fromEntries(RULES.map((candidate) => [candidate.name, ruleValues(candidate, controls)])),
  };
}

/** Event with the new choice after the user selects a rule or changes a parameter. */
export class ChoiceEvent extends pageEvent<CreditChoice>('credit-choice') {}

/**
 * Event with the index of the turn that the user opens, or undefined when the user closes it. It does not extend
 * CustomEvent, which converts an undefined `detail` to null.
 */
export class TurnEvent extends Event {
  readonly detail: number | undefined;

  constructor(turn: number | undefined) {
    super('turn-choice', { bubbles: true, composed: true });
    this.detail = turn;
  }
}
