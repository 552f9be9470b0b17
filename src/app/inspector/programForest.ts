import { type HierarchyPointNode, hierarchy, tree } from 'd3-hierarchy';
import { childrenOf, type Group } from '../../rollouts/forest.ts';

/** Sizes of a drawing of trees [CSS px]. */
export interface ForestSizes {
  /** Width of the available area. */
  readonly width: number;
  readonly node: { readonly width: number; readonly height: number };
  readonly gap: { readonly x: number; readonly y: number };
}

/** Turn in the drawing; `x` and `y` are the upper left corner of its box [CSS px]. */
export interface PositionedTurn {
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
