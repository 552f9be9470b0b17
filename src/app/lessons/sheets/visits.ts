import { paths } from '../../../credit/arithmetic/chains.ts';
import { findRule } from '../../../credit/rules.ts';
import type { GroupView } from '../../../training/data/protocol.ts';

/** A step of a try in a state. */
export interface Visit {
  /** Index of the rollout, from 0. */
  readonly rollout: number;
  /** Index of the step in the rollout, from 0. */
  readonly step: number;
  /** Place in the group's forest. */
  readonly turn: number;
  readonly action: string;
}

const RTMC = 'rtmc';

/** Every state of a group with who came by, in the order of the rollouts. */
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

/** Returns the action of a visit in words: its tool call, such as `view("app.py")`, or else the name that rules compare. */
export function actionText({ rollouts }: GroupView, { turn, action }: Visit): string {
  const view = rollouts.flatMap(({ turns }) => turns).find(({ forestTurn }) => forestTurn === turn);
  return view?.tool?.call ?? action;
}

/**
 * Returns the credit of RTMC on a group; undefined if RTMC cannot read the group. @param kappa the prior's weight in
 * visits
 */
export function scoredByRtmc({ forest }: GroupView, kappa: number, bonus: number) {
  try {
    return findRule(RTMC).credit(forest, { kappa, bonus });
  } catch {
    return undefined;
  }
}
