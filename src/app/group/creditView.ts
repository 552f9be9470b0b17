import { ruleValues } from '../../credit/explanation/ruleControls.ts';
import { RULES } from '../../credit/rules.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { hasEqualOutcomes } from '../../rollouts/variedGroup.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { isTokenRule } from '../address/pageTables.ts';
import { type CreditChoice, type ViewKind, viewsOf } from '../inspector/choice.ts';
import type { Inspected } from '../inspector/inspected.ts';

/** The view that shows what is particular to a run's group: its programs, or the states that tool calls lead to. */
export function liveView({ rollouts }: GroupView, inspected: Inspected): ViewKind {
  const turns = rollouts.flatMap((rollout) => rollout.turns);
  const preferred = turns.some(({ detail }) => detail)
    ? 'programs'
    : turns.some(({ tool }) => tool)
      ? 'states'
      : 'turns';
  return viewsOf(inspected).includes(preferred) ? preferred : 'turns';
}

/** Choices of the user for judging a run's groups. Omitted fields follow the run. */
export interface CreditView {
  readonly rule?: string;
  /** By rule, under the rules' own names. */
  readonly values: CreditChoice['values'];
  readonly states?: string;
}

/** Everything as in the run. */
export const FOLLOWING: CreditView = { values: {} };

/** A run's rule, and the parameters that its controls give every rule. */
export function runChoice(rule: string, controls: ParameterValues): CreditChoice {
  return {
    rule,
    values: Object.fromEntries(RULES.map((candidate) => [candidate.name, ruleValues(candidate, controls)])),
  };
}

/** Returns the choice that judges a group: the run's choice, except for the user's choices. */
export function scoredBy(run: CreditChoice, { rule, values, states }: CreditView): CreditChoice {
  return {
    rule: rule ?? run.rule,
    values: { ...run.values, ...values },
    start: run.values,
    ...(states === undefined ? {} : { states }),
  };
}

/**
 * Returns the user's choices after a change of the choice that was shown.
 * @param before displayed choice, from `current` and the run
 * @param recorded the granularity of the run's states: a user who chooses it follows the run again
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

/** True if the credit of a rule is the run's credit: its rule, its parameters, its states. */
export function isTheRuns(run: CreditChoice, current: CreditView, rule: string): boolean {
  const changed = Object.entries(current.values[rule] ?? {}).some(
    ([name, value]) => value !== run.values[rule]?.[name],
  );
  return rule === run.rule && !changed && current.states === undefined;
}

/** True if the update left a group out because its rollouts all had equal outcomes (control `filterUniform`). */
export function isLeftOut({ forest, rule, sampleOnly }: GroupView, { filterUniform }: ParameterValues): boolean {
  if (sampleOnly || filterUniform !== 'on' || isTokenRule(rule)) return false;
  return hasEqualOutcomes(forest);
}
