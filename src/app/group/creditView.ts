import { ruleValues } from '../../credit/ruleFacts.ts';
import { RULES } from '../../credit/rules.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { hasEqualOutcomes } from '../../rollouts/flatGroups.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { isTokenRule } from '../address/pageTables.ts';
import { type CreditChoice, type ViewKind, viewsOf } from '../inspector/choice.ts';
import type { Inspected } from '../inspector/inspected.ts';

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

/** Choices of the user for the credit of displayed groups. Omitted fields follow the run. */
export interface CreditView {
  readonly rule?: string;
  /** Parameter values of each rule, by the names of the rule and its parameters. */
  readonly values: CreditChoice['values'];
  readonly states?: string;
}

/** Credit view without choices: all fields follow the run. */
export const FOLLOWING: CreditView = { values: {} };

/** Returns the rule of a run with the parameters of each rule under the run's controls. */
export function runChoice(rule: string, controls: ParameterValues): CreditChoice {
  return {
    rule,
    values: Object.fromEntries(RULES.map((candidate) => [candidate.name, ruleValues(candidate, controls)])),
  };
}

/** Returns the choice for the credit of a group: the run's choice with the user's choices applied. */
export function scoredBy(run: CreditChoice, { rule, values, states }: CreditView): CreditChoice {
  return {
    rule: rule ?? run.rule,
    values: { ...run.values, ...values },
    start: run.values,
    ...(states === undefined ? {} : { states }),
  };
}

/**
 * Returns the user's choices after a change of the displayed choice.
 * @param before displayed choice, computed from `current` and the run
 * @param after new choice
 * @param recorded granularity of the run's states; a user who chooses it follows the run again
 */
export function nextCreditView(
  current: CreditView,
  before: CreditChoice,
  after: CreditChoice,
  recorded?: string,
): CreditView {
  const changed = Object.entries(after.values).filter(([rule, values]) => values !== before.values[rule]);
  const rule = after.rule === before.rule ? current.rule : after.rule;
  const states = after.states === recorded ? undefined : after.states;
  return {
    ...(rule === undefined ? {} : { rule }),
    ...(states === undefined ? {} : { states }),
    values: { ...current.values, ...Object.fromEntries(changed) },
  };
}

/** Returns true if the credit of a rule equals the credit in the run: same rule, parameters and states. */
export function isTheRuns(run: CreditChoice, current: CreditView, rule: string): boolean {
  const changed = Object.entries(current.values[rule] ?? {}).some(
    ([name, value]) => value !== run.values[rule]?.[name],
  );
  return rule === run.rule && !changed && current.states === undefined;
}

/** Returns true if the update left a group out because all its outcomes are equal (control `filterUniform`). */
export function isLeftOut({ forest, rule, sampleOnly }: GroupView, { filterUniform }: ParameterValues): boolean {
  if (sampleOnly || filterUniform !== 'on' || isTokenRule(rule)) return false;
  return hasEqualOutcomes(forest);
}
