import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { sheetStrings } from '../../strings/sheetStrings.ts';
import type { NumberQuestion, Sheet } from './sheet.ts';
import { actionText, scoredByRtmc, type Visit, visitsOf } from './visits.ts';

/** Parameters of RTMC: the weight kappa of the prior [visits], and the bonus for a turn that checks a change. */
export interface RtmcValues {
  readonly kappa: number;
  readonly bonus: number;
}

/** Maximum number of visits in the table. */
const LIMIT = 8;

/**
 * Creates an exercise on a state in which several rollouts took different actions. The user computes Q of an action, V
 * of the state, and the advantage A = Q − V under RTMC (Wang, Zheng, Xu 2026).
 * @returns undefined if the groups have no suitable state
 */
export function meetingSheet(groups: readonly GroupView[], { kappa, bonus }: RtmcValues): Sheet | undefined {
  const texts = sheetStrings.meeting;
  const match = chooseMeeting(groups);
  const credit = match && scoredByRtmc(match.group, kappa, bonus);
  if (!match || !credit) return undefined;
  const { group, visits } = match;
  const { return: returns = [], q = [], v = [] } = credit.intermediate as Record<string, ArrayLike<number>>;
  const at = (values: ArrayLike<number>, { turn }: Visit) => values[turn] ?? Number.NaN;
  const times = ({ action }: Visit) => visits.filter((visit) => visit.action === action).length;
  const chosenVisit = [...visits].sort(
    (a, b) => Math.min(times(b), 2) - Math.min(times(a), 2) || at(q, b) - at(q, a),
  )[0];
  if (!chosenVisit) return undefined;
  const same = visits.filter(({ action }) => action === chosenVisit.action);
  const share = solvedShare(group);
  const list = (some: readonly Visit[]) => some.map((visit) => plain(at(returns, visit))).join(' + ');
  const action = actionText(group, chosenVisit);
  const numbers: readonly (readonly [string, number, string])[] = [
    [texts.questionQ(action), at(q, chosenVisit), texts.derivedQ(list(same), same.length)],
    [texts.questionV, at(v, chosenVisit), texts.derivedV(list(visits), plain(kappa), plain(share), visits.length)],
    [
      texts.questionA(action),
      credit.advantage[chosenVisit.turn] ?? Number.NaN,
      texts.derivedA(plain(at(q, chosenVisit)), plain(at(v, chosenVisit))),
    ],
  ];
  return {
    group,
    caption: texts.caption(group.step, visits.length, group.rollouts.length),
    columns: [texts.rollout, texts.step, texts.action, texts.rest],
    rows: visits.map((visit) => ({
      cells: [
        String(visit.rollout + 1),
        String(visit.step + 1),
        actionText(group, visit),
        signed(at(returns, visit), 3),
      ],
      isQuestion: visit.action === chosenVisit.action,
    })),
    given: [texts.prior(plain(share), plain(kappa))],
    questions: numbers.map(
      ([label, answer, derivation]): NumberQuestion => ({
        kind: 'number',
        label,
        answer,
        derivation: [`${derivation} = ${signed(answer, 3)}`],
      }),
    ),
  };
}

/**
 * Returns the visits of the most suitable state; undefined if no state is suitable. Each rollout visits the state at
 * most once. The state with the most repeated actions is preferred.
 */
export function chooseMeeting(groups: readonly GroupView[]) {
  const met = groups.flatMap((group) =>
    [...visitsOf(group).values()].flatMap((visits) => {
      const rollouts = new Set(visits.map(({ rollout }) => rollout)).size;
      const actions = new Set(visits.map(({ action }) => action)).size;
      const fits = rollouts === visits.length && rollouts > 2 && rollouts <= LIMIT && actions > 1 && actions < rollouts;
      return fits && differs(group, visits) ? [{ group, visits, repeated: repeatedIn(visits) }] : [];
    }),
  );
  // Q of an action that several rollouts took is a mean, which makes the question informative.
  return met.sort(
    (a, b) => b.repeated - a.repeated || b.visits.length - a.visits.length || b.group.step - a.group.step,
  )[0];
}

/** Returns the number of actions that two or more rollouts took. */
function repeatedIn(visits: readonly Visit[]): number {
  const actions = visits.map(({ action }) => action);
  return new Set(actions.filter((action, at) => actions.indexOf(action) !== at)).size;
}

/** Returns true if the rollouts of the visits have different outcomes. */
function differs({ rollouts }: GroupView, visits: readonly Visit[]): boolean {
  return new Set(visits.map(({ rollout }) => rollouts[rollout]?.outcome)).size > 1;
}

/** Returns the share of rollouts that solved the task. */
export function solvedShare({ forest, rollouts }: GroupView): number {
  return forest.turns.filter(({ solved }) => solved === true).length / Math.max(1, rollouts.length);
}
