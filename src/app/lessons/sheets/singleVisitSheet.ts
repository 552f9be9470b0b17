import type { GroupView } from '../../../training/data/protocol.ts';
import { plain } from '../../drawing/numbers.ts';
import { sheetStrings } from '../../strings/sheetStrings.ts';
import type { Sheet } from './sheet.ts';
import { actionText, scoredByRtmc, type Visit, visitsOf } from './visits.ts';

/** Magnitude up to which an advantage counts as 0, because of rounding errors. */
const ZERO = 1e-6;
/** Maximum number of steps in the table. */
const LIMIT = 12;

/**
 * Creates an exercise on the steps of one rollout. The table has, per step, the number of rollouts that reached its
 * state and the number of their different actions. The user marks the steps with advantage 0 under RTMC without a prior
 * (κ = 0). At these steps, Q of the action equals V of the state.
 * @returns undefined if no rollout of the groups has enough steps of both kinds
 */
export function singleActionSheet(groups: readonly GroupView[], bonus: number): Sheet | undefined {
  const texts = sheetStrings.alone;
  const match = groups
    .toReversed()
    .map((group) => choose(group, bonus))
    .find((candidate) => candidate !== undefined);
  if (!match) return undefined;
  const { group, rollout, steps } = match;
  return {
    group,
    caption: texts.caption(group.step, rollout + 1, group.rollouts.length),
    columns: [texts.step, texts.action, texts.visitors, texts.actionCount],
    rows: steps.map(({ visit, visitors, actionCount }) => ({
      cells: [String(visit.step + 1), actionText(group, visit), String(visitors), String(actionCount)],
      isQuestion: false,
    })),
    given: [],
    questions: [
      {
        kind: 'pick',
        label: texts.question,
        options: steps.map(({ visit, advantage }) => ({
          label: texts.name(visit.step + 1),
          right: Math.abs(advantage) <= ZERO,
        })),
        derivation: steps.map(({ visit, visitors, actionCount, advantage }) =>
          texts.solutionText(visit.step + 1, visitors, actionCount, Math.abs(advantage) <= ZERO, plain(advantage)),
        ),
      },
    ],
  };
}

/**
 * Returns the rollout with the largest number of steps of the rarer kind; undefined if no rollout has two of each kind.
 */
function choose(group: GroupView, bonus: number) {
  const credit = scoredByRtmc(group, 0, bonus);
  if (!credit) return undefined;
  const states = [...visitsOf(group).values()];
  const all = group.rollouts.map((_, rollout) => {
    const rolloutSteps = states.flatMap((visits) =>
      visits.filter((visit) => visit.rollout === rollout).map((visit) => stepOf(visit, visits, credit.advantage)),
    );
    const steps = rolloutSteps.sort((a, b) => a.visit.step - b.visit.step);
    const zeroCount = steps.filter(({ advantage }) => Math.abs(advantage) <= ZERO).length;
    return { group, rollout, steps, apart: Math.min(zeroCount, steps.length - zeroCount) };
  });
  const fitting = all.filter(({ steps, apart }) => steps.length <= LIMIT && apart > 1);
  return fitting.sort((a, b) => b.apart - a.apart || a.steps.length - b.steps.length)[0];
}

function stepOf(visit: Visit, visits: readonly Visit[], advantages: ArrayLike<number>) {
  return {
    visit,
    visitors: new Set(visits.map(({ rollout }) => rollout)).size,
    actionCount: new Set(visits.map(({ action }) => action)).size,
    advantage: advantages[visit.turn] ?? 0,
  };
}
