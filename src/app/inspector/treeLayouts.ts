import { type HierarchyPointNode, hierarchy, tree } from 'd3-hierarchy';
import { childrenOf, type Group } from '../../rollouts/forest.ts';
import type { ActionEdge, RolloutGraph } from './rolloutGraph.ts';

/** Sizes of a drawing of trees [CSS px]. */
interface ForestSizes {
  /** Width of the available area. */
  readonly width: number;
  readonly node: { readonly width: number; readonly height: number };
  readonly gap: { readonly x: number; readonly y: number };
}

/** Turn in the drawing; `x` and `y` are the upper left corner of its box [CSS px]. */
interface PositionedTurn {
  readonly turn: number;
  readonly parent: number;
  readonly depth: number;
  readonly x: number;
  readonly y: number;
}

export interface ForestPicture {
  /** [turns] */
  readonly positioned: readonly PositionedTurn[];
  /** Turns from top to bottom, each turn before its children. */
  readonly order: readonly number[];
  readonly width: number;
  readonly height: number;
}

/**
 * Lays out the trees of a group: the first turns are on the left, and children are to the right of their parent. A
 * chain is a row. The trees are stacked in as many columns as the width allows. The `parent` fields must be valid.
 */
export function layoutForest(group: Group, { width, node, gap }: ForestSizes): ForestPicture {
  const children = childrenOf(group);
  const step = { x: node.width + gap.x, y: node.height + gap.y };
  const layout = tree<number>()
    .nodeSize([step.y, step.x])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25));
  const roots = group.turns.flatMap(({ parent }, turn) =>
    parent < 0 ? [layout(hierarchy(turn, (index) => children[index]))] : [],
  );
  const shapes = roots.map((root) => ({ root, ...extentOf(root) }));

  const deepest = shapes.reduce((maximum, { root }) => Math.max(maximum, root.height), 0);
  const columnWidth = (deepest + 1) * step.x - gap.x;
  // The gap between columns is twice the gap between turns, so that no line seems to connect two columns.
  const between = 2 * gap.x;
  const columnLimit = Math.max(1, Math.floor((width + between) / (columnWidth + between)));
  const columns = fill(
    shapes.map(({ low, high }) => high - low + step.y),
    columnLimit,
  );

  const positioned: PositionedTurn[] = [];
  const order: number[] = [];
  const ends: number[] = [];
  shapes.forEach(({ root, low, high }, index) => {
    const column = columns[index];
    const top = ends[column] ?? 0;
    root.eachBefore(({ data: turn, x, y, depth }) => {
      const left = column * (columnWidth + between) + y;
      positioned[turn] = { turn, parent: group.turns[turn].parent, depth, x: left, y: top + x - low };
      order.push(turn);
    });
    ends[column] = top + high - low + step.y + (deepest > 0 && root.height > 0 ? gap.y : 0);
  });
  const used = Math.max(1, ends.length);
  return {
    positioned,
    order,
    width: used * (columnWidth + between) - between,
    height: Math.max(node.height, ...positioned.map(({ y }) => y + node.height)),
  };
}

/** Returns the vertical extent of a tree relative to its root, which d3 places at 0. */
function extentOf(root: HierarchyPointNode<number>): { readonly low: number; readonly high: number } {
  let [low, high] = [0, 0];
  root.each(({ x }) => {
    low = Math.min(low, x);
    high = Math.max(high, x);
  });
  return { low, high };
}

/** Returns the column of each tree. The order is unchanged, and the columns have about equal heights. */
export function fill(heights: readonly number[], columns: number): number[] {
  const share = heights.reduce((sum, height) => sum + height, 0) / columns;
  let before = 0;
  return heights.map((height) => {
    // The middle of a tree determines its column.
    const column = Math.min(columns - 1, Math.floor((before + height / 2) / Math.max(share, 1)));
    before += height;
    return column;
  });
}

/** Returns the SVG path of the line from a turn to a child. */
export function linkPath(from: PositionedTurn, to: PositionedTurn, node: ForestSizes['node']): string {
  const [x0, y0] = [from.x + node.width, from.y + node.height / 2];
  const [x1, y1] = [to.x, to.y + node.height / 2];
  const middle = (x0 + x1) / 2;
  return `M${x0},${y0}C${middle},${y0} ${middle},${y1} ${x1},${y1}`;
}

/** Returns the turn to which a key moves; undefined if the key does not move. */
export function turnByKey(
  { order, positioned }: Pick<ForestPicture, 'order' | 'positioned'>,
  turn: number,
  key: string,
): number | undefined {
  const at = order.indexOf(turn);
  const moves: Readonly<Record<string, number | undefined>> = {
    ArrowDown: order[at + 1],
    ArrowUp: order[at - 1],
    ArrowRight: order.find((candidate) => positioned[candidate].parent === turn),
    ArrowLeft: positioned[turn].parent >= 0 ? positioned[turn].parent : undefined,
    Home: order[0],
    End: order.at(-1),
  };
  return moves[key];
}

/** Sizes of a drawing of states [CSS px]. */
interface GraphSizes {
  readonly width: number;
  readonly node: { readonly width: number; readonly height: number };
  /** Height of a row. */
  readonly row: number;
  /** Minimum and maximum width of a step. */
  readonly step: readonly [least: number, most: number];
}

interface GraphPoint {
  readonly x: number;
  readonly y: number;
}

/** Line of the drawing, from the state of an action to a next state or to the end of rollouts. */
export interface GraphLine {
  readonly edge: number;
  /** Id of the next state; -1 if rollouts end here. */
  readonly state: number;
  readonly path: string;
  /** True if the line belongs to the spanning tree. Only such lines have space for a label. */
  readonly tree: boolean;
  /** Position of the end of the line. */
  readonly end: GraphPoint;
}

export interface GraphPicture {
  /** [states] centre of each state. */
  readonly states: readonly GraphPoint[];
  readonly lines: readonly GraphLine[];
  /**
   * Ids of the edges in keyboard order: from top to bottom, and each state's edges before the edges of its next states.
   */
  readonly order: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Node of the tree: a state, or the end of the rollouts of an edge (`state` is -1). */
interface Node {
  readonly state: number;
  readonly edge: number;
  readonly children: Node[];
}

/**
 * Lays out states from left to right by depth. In the tree, a state follows the action by which most turns of the
 * previous depth reached it. Other actions with this next state are drawn as crossing lines. States with a higher share
 * of solved rollouts are higher.
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
    // Actions whose next states are elsewhere in the tree follow the actions of the tree.
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

/** Returns the tree edge into each state [states]; -1 for the first states of rollouts. */
function spanningEdges({ states, edges }: RolloutGraph): number[] {
  const leads = states.map(() => -1);
  const maxTurns = states.map(() => 0);
  for (const { id, from, to } of edges) {
    for (const { state, turns } of to) {
      // Only edges from the previous depth: they form no loop, and each state of depth > 0 has one.
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

/**
 * Returns the path of a curve between two boxes.
 * @param bend 0 for a line of the tree; larger values separate crossing lines between the same boxes
 */
function curve(from: GraphPoint, to: GraphPoint, node: GraphSizes['node'], bend: number) {
  const [x0, x1] = [from.x + node.width / 2, to.x - node.width / 2];
  const [y0, y1] = [from.y, to.y];
  if (from === to) {
    // An action without effect on the state is a loop at the box.
    const top = y0 - node.height / 2;
    const path = `M${x0 - 12},${top}C${x0 - 12},${top - 18} ${x0 + 14},${y0 - 14} ${x0},${y0 - 4}`;
    return { path, end: { x: x0, y: y0 } };
  }
  if (bend === 0) {
    // Lines of the tree end horizontally, which leaves space for a label.
    const turn = x0 + 0.35 * (x1 - x0);
    return { path: `M${x0},${y0}C${turn},${y0} ${turn},${y1} ${x1},${y1}`, end: { x: x1, y: y1 } };
  }
  const reach = x1 > x0 ? (x1 - x0) / 2 : 40;
  const swerve = bend * 6;
  const path = `M${x0},${y0}C${x0 + reach},${y0 + swerve} ${x1 - reach},${y1 + swerve} ${x1},${y1}`;
  return { path, end: { x: x1, y: y1 } };
}

/**
 * Returns the id of the edge to which a key moves. The left and right arrows follow the rollouts; the up and down
 * arrows follow the keyboard order.
 */
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
