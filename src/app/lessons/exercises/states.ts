import { group as groupBy } from 'd3-array';
import { paths } from '../../../credit/arithmetic/chains.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { exerciseStrings } from '../../strings/exerciseStrings.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { creditIn, type ExerciseBuilder, kinds, numberQuestion } from './exercise.ts';
import type { FormulaBuilder } from './formula.ts';

// Exercises and formula of RTMC (Wang, Zheng, Xu 2026), which compares the actions of several rollouts in one state.

/** Step of a rollout in a state. */
interface Visit {
  /** Index of the rollout, from 0. */
  readonly rollout: number;
  /** Index of the step in the rollout, from 0. */
  readonly step: number;
  /** Index of the turn in the group's forest. */
  readonly turn: number;
  readonly action: string;
}

/** Returns the visits of each state of a group, in the order of the rollouts. */
function visitsOf({ forest }: GroupView): readonly (readonly Visit[])[] {
  const visits = paths(forest).flatMap((path, rollout) =>
    path.map((turn, step): Visit => ({ rollout, step, turn, action: forest.turns[turn]?.action ?? '' })),
  );
  return [...groupBy(visits, ({ turn }) => forest.turns[turn]?.state ?? '').values()];
}

/**
 * Returns the action of a visit as text: its tool call, for example `view("app.py")`, or else the action that rules
 * compare.
 */
function actionText({ rollouts }: GroupView, { turn, action }: Visit): string {
  const view = rollouts.flatMap(({ turns }) => turns).find(({ forestTurn }) => forestTurn === turn);
  return view?.tool?.call ?? action;
}

const countRollouts = (visits: readonly Visit[]) => kinds(visits.map(({ rollout }) => rollout));
const countActions = (visits: readonly Visit[]) => kinds(visits.map(({ action }) => action));
const sameAction = (visits: readonly Visit[], { action }: Visit) => visits.filter((visit) => visit.action === action);

/** Maximum number of visits of a state in the table. */
const VISIT_LIMIT = 8;

/**
 * Returns the visits of the most suitable state with their values under RTMC; undefined if no state is suitable. Each
 * rollout visits the state at most once. The state with the most repeated actions is preferred: Q of an action that
 * several rollouts took is a mean, which makes the question informative.
 */
function chooseState(groups: readonly GroupView[], controls: ParameterValues) {
  const states = groups.flatMap((group) => visitsOf(group).map((visits) => ({ group, visits })));
  const matches = states.filter(({ group: { rollouts }, visits }) => {
    const [count, actions] = [visits.length, countActions(visits)];
    const isShared = countRollouts(visits) === count && count > 2 && count <= VISIT_LIMIT;
    return (
      isShared && actions > 1 && actions < count && kinds(visits.map((visit) => rollouts[visit.rollout]?.outcome)) > 1
    );
  });
  const repeated = (visits: readonly Visit[]) =>
    countActions(visits.filter((visit) => sameAction(visits, visit).length > 1));
  const [best] = matches.sort(
    (a, b) =>
      repeated(b.visits) - repeated(a.visits) || b.visits.length - a.visits.length || b.group.step - a.group.step,
  );
  const [kappa, bonus] = [Number(controls.kappa), Number(controls.bonus)];
  const credit = best && creditIn(best.group, 'rtmc', { kappa, bonus });
  if (!best || !credit) return undefined;
  const { forest, rollouts } = best.group;
  const readValue = (name: 'return' | 'q' | 'v', { turn }: Visit) =>
    Number(credit.intermediate[name]?.[turn] ?? Number.NaN);
  return {
    ...best,
    kappa,
    /** Share of rollouts that solved the task. */
    share: forest.turns.filter(({ solved }) => solved === true).length / Math.max(1, rollouts.length),
    readValue,
    advantageOf: ({ turn }: Visit) => credit.advantage[turn] ?? Number.NaN,
  };
}

/**
 * Creates an exercise on a state in which several rollouts took different actions. The user computes Q of an action, V
 * of the state, and the advantage A = Q − V.
 */
export const sharedState: ExerciseBuilder = (groups, _, controls) => {
  const texts = exerciseStrings.meeting;
  const state = chooseState(groups, controls);
  if (!state) return undefined;
  const { group, visits, kappa, share, readValue, advantageOf } = state;
  const isRepeated = (visit: Visit) => Number(sameAction(visits, visit).length > 1);
  const [chosen] = [...visits].sort((a, b) => isRepeated(b) - isRepeated(a) || readValue('q', b) - readValue('q', a));
  if (!chosen) return undefined;
  const same = sameAction(visits, chosen);
  const list = (some: readonly Visit[]) => some.map((visit) => plain(readValue('return', visit))).join(' + ');
  const action = actionText(group, chosen);
  const [q, v] = [readValue('q', chosen), readValue('v', chosen)];
  const question = (label: string, answer: number, derivation: string) =>
    numberQuestion(label, answer, [`${derivation} = ${signed(answer, 3)}`]);
  return {
    group,
    caption: texts.caption(group.step, visits.length, group.rollouts.length),
    columns: [texts.rollout, texts.step, texts.action, texts.rest],
    rows: visits.map((visit) => ({
      cells: [
        String(visit.rollout + 1),
        String(visit.step + 1),
        actionText(group, visit),
        signed(readValue('return', visit), 3),
      ],
      isQuestion: same.includes(visit),
    })),
    given: [texts.prior(plain(share), plain(kappa))],
    questions: [
      question(texts.questionQ(action), q, texts.derivedQ(list(same), same.length)),
      question(texts.questionV, v, texts.derivedV(list(visits), plain(kappa), plain(share), visits.length)),
      question(texts.questionA(action), advantageOf(chosen), texts.derivedA(plain(q), plain(v))),
    ],
  };
};

/** Formula of RTMC: the mean return of an action minus the value of its state. */
export const stateFormula: FormulaBuilder = (groups, controls) => {
  const state = chooseState(groups, controls);
  if (!state) return undefined;
  const { group, visits, kappa, share, readValue, advantageOf } = state;
  const sumReturns = (some: readonly Visit[]) => some.reduce((sum, visit) => sum + readValue('return', visit), 0);
  return {
    caption: formulaStrings.met(group.step, visits.length),
    rows: visits.map((visit) => {
      const same = sameAction(visits, visit);
      return {
        name: String(visit.rollout + 1),
        kin: visit.action,
        texts: {
          action: actionText(group, visit),
          return: signed(readValue('return', visit), 3),
          ...{ A: signed(advantageOf(visit), 3), Q: plain(readValue('q', visit)), V: plain(readValue('v', visit)) },
          ...{ W: plain(sumReturns(same)), N: String(same.length) },
          ...{ WW: plain(sumReturns(visits)), NN: String(visits.length), k: plain(kappa), p: plain(share) },
        },
      };
    }),
  };
};

/** Magnitude up to which an advantage counts as 0, because of rounding errors. */
const ZERO = 1e-6;
/** Maximum number of steps in the table. */
const STEP_LIMIT = 12;

/**
 * Creates an exercise on the steps of one rollout. The table has, per step, the number of rollouts that reached its
 * state and the number of their different actions. The user marks the steps with advantage 0 under RTMC without a prior
 * (κ = 0). At these steps, Q of the action equals V of the state.
 */
export const stepsWithoutCredit: ExerciseBuilder = (groups, _, controls) => {
  const texts = exerciseStrings.withoutCredit;
  const [match] = groups.toReversed().flatMap((group) => chooseSteps(group, Number(controls.bonus)) ?? []);
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
        kind: 'choice',
        label: texts.question,
        options: steps.map(({ visit }) => texts.name(visit.step + 1)),
        right: steps.flatMap(({ isZero }, index) => (isZero ? [index] : [])),
        several: true,
        derivation: steps.map(({ visit, visitors, actionCount, isZero, advantage }) =>
          texts.solutionText(visit.step + 1, visitors, actionCount, isZero, plain(advantage)),
        ),
      },
    ],
  };
};

/**
 * Returns the rollout with the largest number of steps of the rarer kind; undefined if no rollout has two of each kind.
 */
function chooseSteps(group: GroupView, bonus: number) {
  const credit = creditIn(group, 'rtmc', { kappa: 0, bonus });
  if (!credit) return undefined;
  const states = visitsOf(group);
  const rollouts = group.rollouts.map((_, rollout) => {
    const steps = states
      .flatMap((visits) =>
        visits
          .filter((visit) => visit.rollout === rollout)
          .map((visit) => {
            const advantage = credit.advantage[visit.turn] ?? 0;
            const counts = { visitors: countRollouts(visits), actionCount: countActions(visits) };
            return { visit, ...counts, advantage, isZero: Math.abs(advantage) <= ZERO };
          }),
      )
      .sort((a, b) => a.visit.step - b.visit.step);
    const zeroCount = steps.filter(({ isZero }) => isZero).length;
    return { group, rollout, steps, rarer: Math.min(zeroCount, steps.length - zeroCount) };
  });
  const fitting = rollouts.filter(({ steps, rarer }) => steps.length <= STEP_LIMIT && rarer > 1);
  return fitting.sort((a, b) => b.rarer - a.rarer || a.steps.length - b.steps.length)[0];
}
