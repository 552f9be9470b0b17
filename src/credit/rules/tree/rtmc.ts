import type { ParameterTable, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { paths } from '../../arithmetic/chains.ts';
import { standardDeviation } from '../../arithmetic/normalize.ts';
import { discountedReturns } from '../../arithmetic/returns.ts';
import { CreditError } from '../../creditError.ts';
import { advantage, bySize, countOf, groupTurns, SUM_TIE } from '../../gpu/batchArrays.ts';
import { type BatchArray, type Stage, scratch } from '../../gpu/stage.ts';
import {
  checkSignature,
  edgeRuns,
  runsStage,
  sortedTurns,
  sortStage,
  stateRuns,
  trajectoryOf,
} from '../../gpu/turnSignatures.ts';
import { creditRule } from '../../rule.ts';
import { BONUS, type Discounting, RTMC_GAMMA, returnsStage, stepReturn } from './returns.ts';

const PARAMETERS = [
  RTMC_GAMMA,
  {
    kind: 'number',
    name: 'kappa',
    label: 'Weight of the prior',
    symbol: 'κ',
    default: 2,
    min: 0,
    max: 50,
    step: 0.5,
    help: 'Number of visits that the share of solved rollouts counts for in the value of a state. At 0 only visits count.',
  },
  BONUS,
  {
    kind: 'choice',
    name: 'scale',
    control: 'rtmcScale',
    label: 'Scale',
    default: 'none',
    options: ['none', 'std'],
    help: 'std: advantages are divided by their standard deviation over the group. They are not centred.',
  },
] as const satisfies ParameterTable;

type RtmcValues = Values<typeof PARAMETERS>;

export const EPSILON = 1e-6;

/** Share p of solved rollouts in the group of each turn [turns]. */
const solvedShare: BatchArray = {
  label: 'share solved',
  type: 'f32',
  extent: 'turns',
  fill: ({ forest: { groups, groupOffset }, turns, trajectories: { turns: lists, group } }) => {
    const solved = new Float64Array(groups.length);
    const count = new Float64Array(groups.length);
    group.forEach((g, i) => {
      solved[g] += checkSolved(groups[g], lists.member[lists.offset[i + 1] - 1] - groupOffset[g]);
      count[g]++;
    });
    const share = new Float32Array(turns);
    groups.forEach((_, g) => {
      share.fill(solved[g] / count[g], groupOffset[g], groupOffset[g + 1]);
    });
    return share;
  },
};

const q = scratch('q', 'turns');
const v = scratch('v', 'turns');
const visits = scratch('visits', 'turns', 'u32');

/** Creates the stage of means over runs of turns. It writes numbers of visits for states, but not for edges. */
function statisticsStage(
  runOffset: BatchArray,
  mean: BatchArray,
  uniforms: (values: RtmcValues) => Readonly<Record<'kappa' | 'counted', number>>,
): Stage<RtmcValues> {
  return {
    kernel: 'credit/visit_statistics',
    bindings: {
      runOffset,
      edgeOffset: edgeRuns,
      order: sortedTurns,
      trajectory: trajectoryOf,
      value: stepReturn,
      prior: solvedShare,
      mean,
      visits,
    },
    count: countOf('turns'),
    uniforms,
  };
}

const subtract: Stage<unknown> = {
  kernel: 'credit/edge_advantage',
  bindings: { edgeValue: q, stateValue: v, advantage },
  count: countOf('turns'),
  uniforms: () => ({ tie: SUM_TIE }),
};

const scaleByStd: Stage<RtmcValues> = {
  kernel: 'credit/group_scale',
  bindings: { groupOffset: groupTurns.offset, advantage },
  count: countOf('groups'),
  variants: bySize(groupTurns),
  uniforms: () => ({ epsilon: EPSILON }),
  when: ({ scale }) => scale === 'std',
};

/** RTMC. Last turns require `solved`; missing outcomes count as 0. */
export const rtmc = creditRule({
  name: 'rtmc',
  title: 'RTMC',
  family: 'states',
  input: 'trajectories',
  reads: ['state', 'action', 'solved'],
  unit: 'turn',
  parameters: PARAMETERS,
  // Without the prior, the value of a state is the mean of the values of its actions, weighted by first visits.
  laws: {
    parameters: { kappa: 0, gamma: 0.5 },
    scale: 'multiplied',
    zeroSums: ({ advantage }, group) => firstVisits(group).map((visits) => visits.map((turn) => advantage[turn])),
  },

  credit(group, values) {
    const { states, G } = rolloutTree(group, values);
    const { kappa, scale } = values;
    const p = solvedRollouts(group);
    const [Q, V, N] = [0, 0, 0].map(() => new Float64Array(group.turns.length));
    for (const edges of states.values()) {
      const visits = sum(edges, ({ N }) => N);
      const value = (sum(edges, ({ W }) => W) + kappa * p) / (visits + kappa);
      for (const { W, N: edgeVisits, turns } of edges.values()) {
        for (const turn of turns) [Q[turn], V[turn], N[turn]] = [W / edgeVisits, value, visits];
      }
    }
    const A = Q.map((value, turn) => value - V[turn]);
    const divisor = scale === 'std' ? standardDeviation(A) + EPSILON : 1;
    return { advantage: A.map((value) => value / divisor), intermediate: { return: G, q: Q, v: V, visits: N } };
  },

  // All advantages are exactly 0 if the actions of each state have one Q, equal to p if the prior has a weight.
  compared(group, values) {
    const { states } = rolloutTree(group, values);
    const prior = values.kappa > 0 ? [solvedRollouts(group)] : [];
    return [...states.values()].map((edges) => [...[...edges.values()].map(({ W, N }) => W / N), ...prior]);
  },

  outputs: { return: stepReturn, q, v, visits },
  stages: [
    returnsStage,
    sortStage,
    runsStage(edgeRuns),
    runsStage(stateRuns),
    statisticsStage(edgeRuns, q, () => ({ kappa: 0, counted: 0 })),
    statisticsStage(stateRuns, v, ({ kappa }) => ({ kappa, counted: 1 })),
    subtract,
    scaleByStd,
  ],
});

/** Edge of the rollout tree: an action in a state. */
export interface Edge {
  /** Number of first visits. */
  N: number;
  /** Sum of the returns of first visits. */
  W: number;
  /** All turns with this action in this state. */
  readonly turns: number[];
  /** Most recent trajectory with this action in this state. */
  last: number;
}

/** Computes the edges of each state, by action, and G_t [turns]. */
export function rolloutTree(group: Group, { gamma, bonus }: Discounting) {
  const all = paths(group);
  const { step: G } = discountedReturns(group, all, gamma, bonus);
  const states = new Map<string, Map<string, Edge>>();
  all.forEach((path, trajectory) => {
    for (const turn of path) {
      const edges = entry(states, checkSignature(group, turn, 'state'), () => new Map<string, Edge>());
      const edge = entry(edges, checkSignature(group, turn, 'action'), () => ({ N: 0, W: 0, turns: [], last: -1 }));
      edge.turns.push(turn);
      if (edge.last === trajectory) continue; // only first visits
      edge.last = trajectory;
      edge.N++;
      edge.W += G[turn];
    }
  });
  return { states, G };
}

/** Returns p, the share of trajectories whose last turn solved the task; 0 without trajectories. */
export function solvedRollouts(group: Group): number {
  const all = paths(group);
  return all.reduce((count, path) => count + checkSolved(group, path[path.length - 1]), 0) / Math.max(all.length, 1);
}

/** Returns 1 if the last turn solved the task, else 0. @throws {CreditError} if `solved` is not a boolean */
function checkSolved(group: Group, turn: number): number {
  const { solved } = group.turns[turn];
  if (typeof solved === 'boolean') return Number(solved);
  const problem = solved === undefined ? 'missing' : `${JSON.stringify(solved)} is neither true nor false`;
  throw new CreditError(group.id, turn, 'solved', `${problem} on the last turn of a trajectory`);
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const result = map.get(key) ?? create();
  map.set(key, result);
  return result;
}

export function sum(edges: ReadonlyMap<string, Edge>, term: (edge: Edge) => number): number {
  let total = 0;
  for (const edge of edges.values()) total += term(edge);
  return total;
}

/** Returns the first visits of each state: the first turn of a trajectory with each pair of state and action. */
function firstVisits({ id, turns }: Group): number[][] {
  const edge = (turn: number) => JSON.stringify([turns[turn].state, turns[turn].action]);
  const visits = paths({ id, turns }).flatMap((path) =>
    path.filter((turn, index) => path.findIndex((earlier) => edge(earlier) === edge(turn)) === index),
  );
  const states = [...new Set(visits.map((turn) => turns[turn].state))];
  return states.map((state) => visits.filter((turn) => turns[turn].state === state));
}
