import { paths } from '../../credit/arithmetic/chains.ts';
import { rtmc } from '../../credit/rules/tree/rtmc.ts';
import { withTotals } from '../../credit/totals.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';

/** Outcomes of the rollouts through a place. */
export interface OutcomeCounts {
  readonly solved: number;
  readonly failed: number;
  /** Of those that failed: a limit of turns ended them before they did. */
  readonly incomplete: number;
}

/** A state that rollouts visited. */
export interface StateNode extends OutcomeCounts {
  /** Its index in the graph. */
  readonly id: number;
  readonly state: string;
  /** First visits of its actions, summed: N in the formulas. */
  readonly visits: number;
  readonly value: number;
  /** The fewest actions that lead here from where rollouts began. */
  readonly depth: number;
}

/** An action taken in a state. */
export interface ActionEdge extends OutcomeCounts {
  readonly id: number;
  /** Index of the state. */
  readonly from: number;
  readonly action: string;
  /** N(s, a): rollouts that took it. */
  readonly visits: number;
  readonly q: number;
  readonly advantage: number;
  /** All turns that took it, in order. */
  readonly turns: readonly number[];
  /** States that it led to, as often as turns went there. */
  readonly to: readonly { readonly state: number; readonly turns: number }[];
  /** Rollouts that it was the last action of. */
  readonly ended: OutcomeCounts;
}

export interface RolloutGraph {
  readonly states: readonly StateNode[];
  readonly edges: readonly ActionEdge[];
  /** [rollouts]: the turns of each. */
  readonly rollouts: readonly (readonly number[])[];
  /** [turns]: the edge that each took, and its rollout. */
  readonly edgeOf: readonly number[];
  readonly rolloutOf: readonly number[];
}

/**
 * The tree that rollouts form where states meet, with RTMC's numbers, which are the rule's own.
 * @throws {CreditError} for a group that RTMC cannot read
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

/** The fewest actions to each state, breadth first. */
function depthsOf(edges: readonly ActionEdge[], starts: readonly number[]): ReadonlyMap<number, number> {
  const leaving = new Map<number, ActionEdge[]>();
  for (const edge of edges) entry(leaving, edge.from, () => []).push(edge);
  const depths = new Map(starts.map((state) => [state, 0]));
  // A map is walked in the order of its entries, also of those that are added meanwhile.
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

/** Returns the outcome of rollouts in one word: the class of a line. */
export function classifyOutcomes({ solved, failed, incomplete }: OutcomeCounts): OutcomeClass {
  if (failed === 0) return 'solved';
  if (solved > 0) return 'mixed';
  return incomplete === failed ? 'incomplete' : 'failed';
}

export type OutcomeClass = 'solved' | 'mixed' | 'failed' | 'incomplete';

/** Signs of two advantages of a step: first GRPO with step rewards, then RTMC. */
const QUADRANTS = ['both-more', 'rescued', 'penalised', 'both-less', 'neither'] as const;
export type Quadrant = (typeof QUADRANTS)[number];

/** Steps of rollouts that were solved, and of those that were not. */
export type Counts = Pick<OutcomeCounts, 'solved' | 'failed'>;

/** Advantages below this size count as 0. */
const ZERO = 1e-6;

export function quadrantOf(grpo: number, rtmc: number): Quadrant {
  if (Math.abs(grpo) < ZERO || Math.abs(rtmc) < ZERO) return 'neither';
  if (rtmc > 0) return grpo > 0 ? 'both-more' : 'rescued';
  return grpo > 0 ? 'penalised' : 'both-less';
}

/**
 * Counts the steps of solved and of failed rollouts in each quadrant.
 * @param grpo [turns] @param rtmc [turns]
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
