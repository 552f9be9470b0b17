import { paths, withTotals } from '../../credit/arithmetic/chains.ts';
import { rtmc } from '../../credit/rules/tree/rtmc.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';

/** Numbers of rollouts by outcome, for the rollouts that pass through a state or an action. */
export interface OutcomeCounts {
  readonly solved: number;
  readonly failed: number;
  /** Number of failed rollouts that a limit of turns truncated. */
  readonly incomplete: number;
}

/** State that rollouts visited. */
export interface StateNode extends OutcomeCounts {
  /** Index of the state in the graph. */
  readonly id: number;
  readonly state: string;
  /** Sum of the first visits of its actions; N(s) in the formulas. */
  readonly visits: number;
  readonly value: number;
  /** Minimum number of actions from a first state of a rollout to this state. */
  readonly depth: number;
}

/** Action in a state. */
export interface ActionEdge extends OutcomeCounts {
  readonly id: number;
  /** Index of the state in which the action was taken. */
  readonly from: number;
  readonly action: string;
  /** Number of rollouts that took the action in the state; N(s, a) in the formulas. */
  readonly visits: number;
  readonly q: number;
  readonly advantage: number;
  /** All turns that took the action in the state, in order of the rollouts. */
  readonly turns: readonly number[];
  /** Next states, each with the number of turns that reached it. */
  readonly to: readonly { readonly state: number; readonly turns: number }[];
  /** Rollouts that ended with the action. */
  readonly ended: OutcomeCounts;
}

export interface RolloutGraph {
  readonly states: readonly StateNode[];
  readonly edges: readonly ActionEdge[];
  /** [rollouts] turns of each rollout. */
  readonly rollouts: readonly (readonly number[])[];
  /** [turns] id of the edge of each turn. */
  readonly edgeOf: readonly number[];
  /** [turns] index of the rollout of each turn. */
  readonly rolloutOf: readonly number[];
}

/**
 * Builds the graph that rollouts form if equal states are merged. The values N, Q, V and A come from the RTMC rule.
 * @param parameters parameters of RTMC
 * @throws {CreditError} if RTMC cannot read the group
 */
export function rolloutGraph(group: Group, parameters: ParameterValues): RolloutGraph {
  const { advantage, intermediate } = rtmc.credit(withTotals(rtmc, group), parameters);
  const rollouts = paths(group);
  const rolloutOf: number[] = [];
  const edgeOf: number[] = [];
  const states = new Map<string, { readonly id: number; readonly turn: number; readonly by: Set<number> }>();
  const edges = new Map<string, { readonly id: number; readonly from: number; turns: number[]; by: Set<number> }>();

  rollouts.forEach((path, rollout) => {
    path.forEach((turn) => {
      const { state = '', action = '' } = group.turns[turn];
      const node = entry(states, state, () => ({ id: states.size, turn, by: new Set<number>() }));
      node.by.add(rollout);
      const key = JSON.stringify([state, action]);
      const edge = entry(edges, key, () => ({ id: edges.size, from: node.id, turns: [], by: new Set<number>() }));
      edge.turns.push(turn);
      edge.by.add(rollout);
      edgeOf[turn] = edge.id;
      rolloutOf[turn] = rollout;
    });
  });

  const outcomesOf = (by: Iterable<number>) => summarizeOutcomes(group, rollouts, [...by]);
  const next = rollouts.flatMap((path) => path.map((turn, position) => [turn, path[position + 1]] as const));
  const after = new Map(next);
  const stateOf = (turn: number) => states.get(group.turns[turn].state ?? '')?.id ?? -1;
  const actions = [...edges.values()].map(({ id, from, turns, by }): ActionEdge => {
    const last = turns.filter((turn) => after.get(turn) === undefined);
    const to = new Map<number, number>();
    for (const turn of turns) {
      const following = after.get(turn);
      if (following !== undefined) to.set(stateOf(following), (to.get(stateOf(following)) ?? 0) + 1);
    }
    return {
      ...{ id, from, turns, visits: by.size, action: group.turns[turns[0]].action ?? '', ...outcomesOf(by) },
      ...{ q: intermediate.q[turns[0]], advantage: advantage[turns[0]] },
      to: [...to].map(([state, count]) => ({ state, turns: count })),
      ended: outcomesOf(last.map((turn) => rolloutOf[turn])),
    };
  });
  const depths = depthsOf(
    actions,
    rollouts.map(([first]) => stateOf(first)),
  );
  return {
    rollouts,
    rolloutOf,
    edgeOf,
    edges: actions,
    states: [...states].map(([state, { id, turn, by }]) => ({
      ...{ id, state, depth: depths.get(id) ?? 0, ...outcomesOf(by) },
      ...{ visits: intermediate.visits[turn], value: intermediate.v[turn] },
    })),
  };
}

/** Returns the minimum number of actions to each state, by breadth-first search. */
function depthsOf(edges: readonly ActionEdge[], starts: readonly number[]): ReadonlyMap<number, number> {
  const leaving = new Map<number, ActionEdge[]>();
  for (const edge of edges) entry(leaving, edge.from, () => []).push(edge);
  const depths = new Map(starts.map((state) => [state, 0]));
  // The iteration of a map includes entries that are added during the iteration.
  for (const [state, depth] of depths) {
    for (const { to } of leaving.get(state) ?? []) {
      for (const next of to) if (!depths.has(next.state)) depths.set(next.state, depth + 1);
    }
  }
  return depths;
}

function summarizeOutcomes(
  { turns }: Group,
  rollouts: RolloutGraph['rollouts'],
  some: readonly number[],
): OutcomeCounts {
  const last = some.map((rollout) => turns[rollouts[rollout].at(-1) ?? 0]);
  const solved = last.filter((turn) => turn.solved === true).length;
  const incomplete = last.filter((turn) => turn.solved !== true && turn.truncated === true).length;
  return { solved, failed: some.length - solved, incomplete };
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

/** Returns the class of rollouts by their outcomes. It is also the CSS class of a line. */
export function classifyOutcomes({ solved, failed, incomplete }: OutcomeCounts): OutcomeClass {
  if (failed === 0) return 'solved';
  if (solved > 0) return 'mixed';
  return incomplete === failed ? 'incomplete' : 'failed';
}

export type OutcomeClass = 'solved' | 'mixed' | 'failed' | 'incomplete';

/**
 * Classes of a step by the signs of its advantages under GRPO with step rewards and RTMC. `rescued` is negative under
 * GRPO and positive under RTMC; `penalised` is the opposite.
 */
const QUADRANTS = ['both-more', 'rescued', 'penalised', 'both-less', 'neither'] as const;
export type Quadrant = (typeof QUADRANTS)[number];

/** Numbers of steps in solved rollouts and in failed rollouts. */
export type Counts = Pick<OutcomeCounts, 'solved' | 'failed'>;

/** Magnitude below which an advantage counts as 0. */
const ZERO = 1e-6;

export function quadrantOf(grpo: number, rtmc: number): Quadrant {
  if (Math.abs(grpo) < ZERO || Math.abs(rtmc) < ZERO) return 'neither';
  if (rtmc > 0) return grpo > 0 ? 'both-more' : 'rescued';
  return grpo > 0 ? 'penalised' : 'both-less';
}

/**
 * Counts the steps of solved and failed rollouts in each quadrant.
 * @param grpo [turns] advantages under GRPO with step rewards
 * @param rtmc [turns] advantages under RTMC
 */
export function quadrants(
  group: Group,
  rollouts: RolloutGraph['rollouts'],
  grpo: ArrayLike<number>,
  rtmc: ArrayLike<number>,
): Readonly<Record<Quadrant, Counts>> {
  const counts = Object.fromEntries(QUADRANTS.map((name) => [name, { solved: 0, failed: 0 }]));
  rollouts.forEach((path, rollout) => {
    const ended = summarizeOutcomes(group, rollouts, [rollout]).solved > 0 ? 'solved' : 'failed';
    for (const turn of path) counts[quadrantOf(grpo[turn], rtmc[turn])][ended]++;
  });
  return counts as Record<Quadrant, Counts>;
}
