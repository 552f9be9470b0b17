import { paths } from '../../../credit/arithmetic/chains.ts';
import { findRule } from '../../../credit/rules.ts';
import type { GroupView } from '../../../training/data/protocol.ts';

/** Step of a rollout in a state. */
export interface Visit {
  /** Index of the rollout, from 0. */
  readonly rollout: number;
  /** Index of the step in the rollout, from 0. */
  readonly step: number;
  /** Index of the turn in the group's forest. */
  readonly turn: number;
  readonly action: string;
}

const RTMC = 'rtmc';

/** Returns the visits of each state of a group, in the order of the rollouts. */
export function visitsOf({ forest }: GroupView): ReadonlyMap<string, readonly Visit[]> {
  const states = new Map<string, Visit[]>();
  paths(forest).forEach((path, rollout) => {
    path.forEach((turn, step) => {
      const { state = '', action = '' } = forest.turns[turn] ?? {};
      states.set(state, [...(states.get(state) ?? []), { rollout, step, turn, action }]);
    });
  });
  return states;
}

/**
 * Returns the action of a visit as text: its tool call, for example `view("app.py")`, or else the action that rules
 * compare.
 */
export function actionText({ rollouts }: GroupView, { turn, action }: Visit): string {
  const view = rollouts.flatMap(({ turns }) => turns).find(({ forestTurn }) => forestTurn === turn);
  return view?.tool?.call ?? action;
}

/**
 * Returns the credit of RTMC on a group; undefined if RTMC cannot read the group.
 * @param kappa weight of the prior [visits]
 * @param bonus bonus for a turn that checks a change
 */
export function scoredByRtmc({ forest }: GroupView, kappa: number, bonus: number) {
  try {
    return findRule(RTMC).credit(forest, { kappa, bonus });
  } catch {
    return undefined;
  }
}
