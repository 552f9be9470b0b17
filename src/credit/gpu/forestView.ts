import type { Forest, Turn } from '../../rollouts/forest.ts';
import { branchError, checkOutcome, checkReward } from '../arithmetic/chains.ts';
import type { Lists } from '../arithmetic/lists.ts';
import { countResultUint32s, testCount } from '../arithmetic/unitTests.ts';
import { CreditError } from '../creditError.ts';

/**
 * Kind of items of an array, which has one element per item. `tokens` are policy tokens, turn by turn. `tests` are the
 * unit tests of each group, group by group. `results` are words of 32 test results, packed as described in
 * batchArrays.ts.
 */
export type Extent = 'turns' | 'trajectories' | 'groups' | 'tokens' | 'tests' | 'results';

/** Maximum number of items of each kind in one batch. */
export type Capacity = Readonly<Record<Extent, number>>;

/** Trajectories of a batch. Turn indices count over the forest. */
interface Trajectories {
  /** Turns of each trajectory, first to last. */
  readonly turns: Lists;
  /** Group of each trajectory [trajectories], ascending. */
  readonly group: Uint32Array;
  /** Trajectory of each turn [turns]. */
  readonly of: Uint32Array;
  /** Position of each turn in its trajectory [turns], from 0. */
  readonly turnIndex: Uint32Array;
}

/** Builder of lists of a batch, for example a `Segmentation`. */
interface ListBuilder {
  readonly build: (view: ForestView) => Lists;
}

/** Sizes of the smallest and the largest list that has members; 0 if no list has members. */
interface ListSizes {
  readonly smallest: number;
  readonly largest: number;
}

/**
 * Batch in the form of the GPU's arrays. Each array is computed at its first use. Trees therefore reach the rules that
 * can read trees, and a batch requires only the fields that its rule reads.
 */
export class ForestView {
  private readonly cache = new Map<(view: ForestView) => unknown, unknown>();
  private readonly sizes = new Map<ListBuilder, ListSizes>();

  constructor(readonly forest: Forest) {}

  get groups(): number {
    return this.forest.groups.length;
  }

  get turns(): number {
    return this.forest.parent.length;
  }

  /**
   * Trajectories, group by group, without a check of the outcomes.
   * @throws {CreditError} in the cases of paths(); it names group, turn and field
   */
  get trajectories(): Trajectories {
    return this.once(trajectoriesOf);
  }

  /** R^O of each trajectory. @throws {CreditError} in the cases of chains(); it names group, turn and field */
  get outcomes(): Float64Array {
    return this.once(outcomesOf);
  }

  /**
   * Returns the result of `build` for this batch. The first call computes it, and later calls return the same result.
   */
  once<T>(build: (view: ForestView) => T): T {
    if (!this.cache.has(build)) this.cache.set(build, build(this));
    return this.cache.get(build) as T;
  }

  /** Returns the number of items of an extent. @throws {CreditError} for trajectories of a tree */
  count(extent: Extent): number {
    switch (extent) {
      case 'turns':
        return this.turns;
      case 'groups':
        return this.groups;
      case 'trajectories':
        return this.trajectories.group.length;
      default:
        return this.capacity[extent];
    }
  }

  /** Capacity that this batch requires. */
  get capacity(): Capacity {
    return this.once(capacityOf);
  }

  /** Returns the lists that `factory` builds from this batch. They are built once. */
  lists(factory: ListBuilder): Lists {
    return this.once(factory.build);
  }

  /** Returns the list sizes. They are cached by factory, because every kernel over the lists reads them. */
  listSizes(factory: ListBuilder): ListSizes {
    const known = this.sizes.get(factory);
    if (known) return known;
    const sizes = sizesOf(this.lists(factory));
    this.sizes.set(factory, sizes);
    return sizes;
  }

  /** Returns the number of lists. */
  listCount(factory: ListBuilder): number {
    return this.lists(factory).offset.length - 1;
  }

  /** Returns a value per turn [turns]. @param value function of a turn, its index in the group, and the group */
  turnsOf(value: (turn: Turn, index: number, group: number) => number): Float64Array {
    const { groups, groupOffset } = this.forest;
    const result = new Float64Array(this.turns);
    groups.forEach(({ turns }, group) => {
      turns.forEach((turn, index) => {
        result[groupOffset[group] + index] = value(turn, index, group);
      });
    });
    return result;
  }

  /** Creates an error that names a turn. @param turn index in the forest */
  error(group: number, turn: number, field: string, problem: string): CreditError {
    const { groups, groupOffset } = this.forest;
    return new CreditError(groups[group].id, turn - groupOffset[group], field, problem);
  }
}

function sizesOf({ offset }: Lists): ListSizes {
  let [smallest, largest] = [Infinity, 0];
  for (let list = 1; list < offset.length; list++) {
    const size = offset[list] - offset[list - 1];
    if (size > largest) largest = size;
    if (size > 0 && size < smallest) smallest = size;
  }
  return { smallest: largest === 0 ? 0 : smallest, largest };
}

function capacityOf({ turns, groups, forest }: ForestView): Capacity {
  let [tokens, tests, results] = [0, 0, 0];
  for (const group of forest.groups) {
    for (const turn of group.turns) tokens += turn.tokens ?? 0;
    tests += testCount(group);
    results += countResultUint32s(group);
  }
  return { turns, trajectories: turns, groups, tests, results, tokens };
}

function trajectoriesOf({ forest }: ForestView): Trajectories {
  const { groups, groupOffset, parent, reward } = forest;
  const turns = parent.length;
  const child = new Int32Array(turns).fill(-1);
  const of = new Uint32Array(turns);
  const turnIndex = new Uint32Array(turns);
  const member = new Uint32Array(turns);
  const [offset, owner] = [[0], [] as number[]];
  let position = 0;
  groups.forEach(({ id }, group) => {
    const [start, end] = [groupOffset[group], groupOffset[group + 1]];
    for (let turn = start; turn < end; turn++) {
      checkReward(id, turn - start, reward[turn]);
      if (parent[turn] < 0) continue;
      if (child[parent[turn]] >= 0) throw branchError(groups[group], parent[turn] - start);
      child[parent[turn]] = turn;
    }
    for (let first = start; first < end; first++) {
      if (parent[first] >= 0) continue;
      const begin = position;
      for (let turn = first; turn >= 0; turn = child[turn]) {
        of[turn] = owner.length;
        turnIndex[turn] = position - begin;
        member[position++] = turn;
      }
      owner.push(group);
      offset.push(position);
    }
  });
  return { turns: { offset: Uint32Array.from(offset), member }, group: Uint32Array.from(owner), of, turnIndex };
}

function outcomesOf({ forest, trajectories }: ForestView): Float64Array {
  const { groups, groupOffset, outcome } = forest;
  const { offset, member } = trajectories.turns;
  const outcomes = new Float64Array(trajectories.group.length);
  trajectories.group.forEach((group, trajectory) => {
    const last = member[offset[trajectory + 1] - 1];
    outcomes[trajectory] = checkOutcome(groups[group].id, last - groupOffset[group], outcome[last]);
  });
  return outcomes;
}
