import { hierarchy, tree } from 'd3-hierarchy';
import type { ActionEdge, RolloutGraph } from './rolloutGraph.ts';

/** Sizes of a picture of states, CSS pixels. */
export interface GraphSizes {
  readonly width: number;
  readonly node: { readonly width: number; readonly height: number };
  /** Height of a row, and the least and the most that a step is wide. */
  readonly row: number;
  readonly step: readonly [least: number, most: number];
}

export interface GraphPoint {
  readonly x: number;
  readonly y: number;
}

/** One line of the picture: an action and a state that it led to, or the ends of rollouts. */
export interface GraphLine {
  readonly edge: number;
  /** -1: here rollouts end. */
  readonly state: number;
  readonly path: string;
  /** True if the state is drawn only here. The line then belongs to the tree, and there is room for text along it. */
  readonly tree: boolean;
  /** Position of the end of the line. */
  readonly end: GraphPoint;
}

export interface GraphPicture {
  /** [states]: the middle of each. */
  readonly states: readonly GraphPoint[];
  readonly lines: readonly GraphLine[];
  /** Edges from top to bottom, those of a state before those of the states that they lead to. */
  readonly order: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** A state, or where the rollouts of an edge end. */
interface Node {
  readonly state: number;
  readonly edge: number;
  readonly children: Node[];
}

/**
 * Places states by their depth from left to right. Each state follows the action that led most rollouts to it from one
 * step before. Lines of other actions that lead to it cross over. States with better endings are higher.
 */
export function layoutGraph(graph: RolloutGraph, { width, node, row, step }: GraphSizes): GraphPicture {
  const { states, edges } = graph;
  const leads = spanningEdges(graph);
  const share = (edge: number) => (edge < 0 ? 0 : edges[edge].solved / edges[edge].visits);
  const nodes: Node[] = states.map(({ id }) => ({ state: id, edge: leads[id], children: [] }));
  const root: Node = { state: -1, edge: -1, children: [] };
  for (const { id } of states) {
    const lead = leads[id];
    (lead < 0 ? root : nodes[edges[lead].from]).children.push(nodes[id]);
  }
  for (const { id, from, ended } of edges) {
    if (ended.solved + ended.failed > 0) nodes[from].children.push({ state: -1, edge: id, children: [] });
  }
  for (const { children } of nodes) children.sort((a, b) => share(b.edge) - share(a.edge) || a.edge - b.edge);

  const layout = tree<Node>()
    .nodeSize([row, 1])
    .separation(() => 1)(hierarchy(root));
  const deepest = layout.height;
  const stepX = Math.max(step[0], Math.min(step[1], (width - node.width) / Math.max(1, deepest - 1)));
  let [low, high] = [Infinity, -Infinity];
  layout.each(({ x, depth }) => {
    if (depth === 0) return;
    low = Math.min(low, x);
    high = Math.max(high, x);
  });
  if (states.length === 0) [low, high] = [0, 0];
  const positions: GraphPoint[] = [];
  const ends = new Map<number, GraphPoint>();
  const order: number[] = [];
  layout.eachBefore(({ data, x, depth }) => {
    if (depth === 0) return;
    const position = { x: node.width / 2 + (depth - 1) * stepX, y: x - low + row / 2 };
    if (data.state >= 0) positions[data.state] = position;
    else ends.set(data.edge, position);
    if (data.edge >= 0 && !order.includes(data.edge)) order.push(data.edge);
    // Actions that lead to states drawn elsewhere come after the actions of the tree.
    if (data.state < 0) return;
    for (const { id, from } of edges) {
      if (from === data.state && !order.includes(id) && !leads.includes(id) && !endsHere(edges[id])) order.push(id);
    }
  });

  const lines = edges.flatMap((edge) => linesOf(edge, leads, positions, ends, node));
  return {
    states: positions,
    lines,
    order,
    width: node.width + Math.max(0, deepest - 1) * stepX,
    height: high - low + row,
  };
}

function endsHere({ ended }: ActionEdge): boolean {
  return ended.solved + ended.failed > 0;
}

/** [states]: the edge that each state hangs on, -1 for those in which rollouts began. */
function spanningEdges({ states, edges }: RolloutGraph): number[] {
  const leads = states.map(() => -1);
  const maxTurns = states.map(() => 0);
  for (const { id, from, to } of edges) {
    for (const { state, turns } of to) {
      // From one step before alone: no loop can come of it, and every state but those of depth 0 has such an edge.
      if (states[from].depth !== states[state].depth - 1 || turns <= maxTurns[state]) continue;
      maxTurns[state] = turns;
      leads[state] = id;
    }
  }
  return leads;
}

function linesOf(
  edge: ActionEdge,
  leads: readonly number[],
  positions: readonly GraphPoint[],
  ends: ReadonlyMap<number, GraphPoint>,
  node: GraphSizes['node'],
): GraphLine[] {
  const from = positions[edge.from];
  const end = ends.get(edge.id);
  const lines = edge.to.map(({ state }) => {
    const tree = leads[state] === edge.id;
    return { edge: edge.id, state, tree, ...curve(from, positions[state], node, tree ? 0 : 1 + (edge.id % 3)) };
  });
  if (!end) return lines;
  return [...lines, { edge: edge.id, state: -1, tree: true, ...curve(from, end, node, 0) }];
}

/** A curve between two boxes. @param bend how far lines that cross over swerve, so that equal ones lie apart */
function curve(from: GraphPoint, to: GraphPoint, node: GraphSizes['node'], bend: number) {
  const [x0, x1] = [from.x + node.width / 2, to.x - node.width / 2];
  const [y0, y1] = [from.y, to.y];
  if (from === to) {
    // An action that changed nothing: a loop over the box.
    const top = y0 - node.height / 2;
    const path = `M${x0 - 12},${top}C${x0 - 12},${top - 18} ${x0 + 14},${y0 - 14} ${x0},${y0 - 4}`;
    return { path, end: { x: x0, y: y0 } };
  }
  if (bend === 0) {
    // Lines of the tree are level at their ends, so that text fits along them.
    const turn = x0 + 0.35 * (x1 - x0);
    return { path: `M${x0},${y0}C${turn},${y0} ${turn},${y1} ${x1},${y1}`, end: { x: x1, y: y1 } };
  }
  const reach = x1 > x0 ? (x1 - x0) / 2 : 40;
  const swerve = bend * 6;
  const path = `M${x0},${y0}C${x0 + reach},${y0 + swerve} ${x1 - reach},${y1 + swerve} ${x1},${y1}`;
  return { path, end: { x: x1, y: y1 } };
}

/** Returns the edge to which a key moves: left and right follow the rollouts, up and down follow the list. */
export function edgeByKey(
  { edges }: RolloutGraph,
  { order }: Pick<GraphPicture, 'order'>,
  edge: number,
  key: string,
): number | undefined {
  const at = order.indexOf(edge);
  const findMaximum = (some: readonly ActionEdge[]) =>
    some.reduce<ActionEdge | undefined>(
      (best, candidate) => (best && best.visits >= candidate.visits ? best : candidate),
      undefined,
    )?.id;
  const leadsTo = edges[edge].to.map(({ state }) => state);
  const moves: Readonly<Record<string, number | undefined>> = {
    ArrowDown: order[at + 1],
    ArrowUp: order[at - 1],
    ArrowRight: findMaximum(edges.filter(({ from }) => leadsTo.includes(from))),
    ArrowLeft: findMaximum(edges.filter(({ to }) => to.some(({ state }) => state === edges[edge].from))),
    Home: order[0],
    End: order.at(-1),
  };
  return moves[key];
}
