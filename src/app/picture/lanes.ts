import type { EnvironmentDescriptor, PicturedToken, TurnBox } from '../../environments/descriptor.ts';
import { childrenOf, type Group, isTree } from '../../rollouts/forest.ts';
import type { GroupView, RolloutView, TokenView, TurnView } from '../../training/data/protocol.ts';

/** Box of a turn in a lane. */
export interface LaneBox extends TurnBox {
  /** Index of the turn in the forest. */
  readonly turn: number;
  /** Summary of the turn in one sentence. */
  readonly summary: string;
  /** Result of each unit test, if the turn is a program. */
  readonly passed?: readonly boolean[];
  /** Letter that marks boxes of several lanes with the same state or the same turn; absent for other boxes. */
  readonly meeting?: string;
}

/** Row of the picture: the turns of one rollout from left to right, and its result. */
export interface Lane {
  /** Number of the rollout, from 1. */
  readonly number: number;
  readonly boxes: readonly LaneBox[];
  readonly isSolved: boolean;
}

/** Group in the form in which the picture shows it: one lane per path from a first turn to a last turn. */
export interface PicturedGroup {
  readonly question: string;
  readonly forest: Group;
  readonly lanes: readonly Lane[];
  /** Rule of the update and the advantages that the update used [turns]. */
  readonly recorded: { readonly rule: string; readonly advantage: readonly number[] };
}

/** Bar of credit below the boxes `from` to `to` of a lane, both inclusive. */
export interface CreditBar {
  readonly from: number;
  readonly to: number;
  /** Advantage of the turns; NaN for a pruned turn. */
  readonly advantage: number;
}

/** Magnitude below which an advantage counts as 0. Such advantages are float32 rounding errors. */
const ZERO = 1e-6;

/** Sort key of a lane, by the kind of its first box: executed actions come first. */
const ORDER: Readonly<Record<TurnBox['kind'], number>> = { action: 0, plain: 0, malformed: 1, skipped: 2 };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Turn of a displayed rollout. */
interface SequenceTurn {
  readonly view: TurnView;
  readonly rollout: RolloutView;
  /** Index of the turn in its sequence. */
  readonly at: number;
}

/** Converts a group to lanes, one for each path from a first turn to a last turn. */
export function picturedGroup(group: GroupView, environment: Pick<EnvironmentDescriptor, 'picture'>): PicturedGroup {
  const { forest, question, rule, rollouts } = group;
  const bySequence = new Map<number, SequenceTurn>();
  for (const rollout of rollouts) {
    for (const [at, view] of rollout.turns.entries()) bySequence.set(view.forestTurn, { view, rollout, at });
  }
  const paths = pathsOf(forest);
  const isLong = paths.some(({ length }) => length > 2);
  // In rollouts of two turns, nearly all states are shared, so letters would not be informative.
  const meeting = isLong || isTree(forest) ? meetings(forest, paths) : () => undefined;
  const isNumbered = rollouts.length === paths.length;
  const lanes = paths.map((path, index): Lane => {
    const boxes = path.map((turn): LaneBox => {
      const inView = bySequence.get(turn);
      const { passed } = forest.turns[turn] ?? {};
      const letter = meeting(turn);
      return {
        ...boxOf(forest, turn, inView, environment),
        ...{ turn, summary: inView?.view.summary ?? '' },
        ...(letter === undefined ? {} : { meeting: letter }),
        ...(passed ? { passed: passed.map((result) => result === 1) } : {}),
      };
    });
    const last = path.at(-1) ?? 0;
    // In a tree in which each turn has a separate prompt, a rollout view is one turn and has no lane.
    const rollout = isNumbered
      ? rollouts.findIndex((view) => view.turns.some(({ forestTurn }) => forestTurn === last))
      : -1;
    return { number: (rollout < 0 ? index : rollout) + 1, boxes, isSolved: forest.turns[last]?.solved === true };
  });
  const kind = ({ boxes: [first] }: Lane) => ORDER[first?.kind ?? 'plain'];
  const advantage = forest.turns.map((_, turn) => bySequence.get(turn)?.view.advantage ?? Number.NaN);
  return {
    ...{ question, forest, recorded: { rule, advantage } },
    lanes: lanes.sort((a, b) => kind(a) - kind(b) || a.number - b.number),
  };
}

/**
 * Returns the outcomes of the lanes if two solved lanes, or two unsolved lanes, have different outcomes. The solved
 * mark alone does not explain the credit in this case.
 * @returns [lanes] outcomes, undefined for a lane without outcome; or undefined if the outcomes need not be shown
 */
export function differingOutcomes({
  lanes,
  forest,
}: Pick<PicturedGroup, 'lanes' | 'forest'>): (number | undefined)[] | undefined {
  const outcomes = lanes.map(({ boxes }) => forest.turns[boxes.at(-1)?.turn ?? 0]?.outcome);
  const count = (isSolved: boolean) => new Set(outcomes.filter((_, at) => lanes[at]?.isSolved === isSolved)).size;
  return count(true) > 1 || count(false) > 1 ? outcomes : undefined;
}

/** Returns the paths from a first turn to a last turn, in the order of the last turns. */
function pathsOf(forest: Group): number[][] {
  return childrenOf(forest).flatMap(({ length }, leaf) => {
    if (length > 0) return [];
    const path: number[] = [];
    for (let turn = leaf; turn >= 0; turn = forest.turns[turn]?.parent ?? -1) path.unshift(turn);
    return [path];
  });
}

/**
 * Returns a function from a turn to its letter. A turn has a letter if several paths contain it, or if it is not a
 * first turn and several paths contain its state.
 */
function meetings({ turns }: Group, paths: readonly (readonly number[])[]): (turn: number) => string | undefined {
  const keyOf = (turn: number) => {
    const { state, parent } = turns[turn] ?? {};
    return state === undefined || parent === -1 ? `turn ${turn}` : `state ${state}`;
  };
  const lanesOf = new Map<string, Set<number>>();
  paths.forEach((path, lane) => {
    for (const key of path.map(keyOf)) lanesOf.set(key, (lanesOf.get(key) ?? new Set()).add(lane));
  });
  const shared = [...lanesOf].flatMap(([key, lanes]) => (lanes.size > 1 ? [key] : []));
  const letters = new Map(shared.map((key, index) => [key, LETTERS[index % LETTERS.length]]));
  return (turn) => letters.get(keyOf(turn));
}

function boxOf(
  { turns }: Group,
  index: number,
  sequenceTurn: SequenceTurn | undefined,
  { picture }: Pick<EnvironmentDescriptor, 'picture'>,
): TurnBox {
  const turn = turns[index];
  if (!picture || !turn || !sequenceTurn) return { kind: 'plain', text: '' };
  const { view, rollout, at } = sequenceTurn;
  const written = rollout.tokens.filter((token) => token.turn === at);
  const last = rollout.tokens.findLastIndex((token) => token.turn === at);
  const next = rollout.tokens.findIndex((token, index) => index > last && token.turn >= 0);
  const reply = next < 0 ? [] : rollout.tokens.slice(last + 1, next);
  const texts = (tokens: readonly TokenView[]) => tokens.map(({ text, kind }): PicturedToken => ({ text, kind }));
  const call = view.tool ? { call: view.tool.call } : {};
  return picture({ turn, written: texts(written), reply: texts(reply), ...call });
}

/**
 * Returns the bars of a lane: one across all boxes if the rule assigns one advantage per rollout, otherwise one per
 * box.
 */
export function creditBars(
  { boxes }: Lane,
  advantage: ArrayLike<number>,
  sharesInRollout: boolean | undefined,
): CreditBar[] {
  const last = boxes.length - 1;
  if (sharesInRollout) return [{ from: 0, to: last, advantage: advantage[boxes[last]?.turn ?? 0] ?? Number.NaN }];
  return boxes.map(({ turn }, at) => ({ from: at, to: at, advantage: advantage[turn] ?? Number.NaN }));
}

/** Returns true if all advantages of a group are 0 or NaN. */
export function hasNoSignal(advantage: ArrayLike<number>): boolean {
  return Array.from(advantage).every((value) => Number.isNaN(value) || Math.abs(value) < ZERO);
}
