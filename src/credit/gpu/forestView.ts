import type { Forest, Turn } from '../../rollouts/forest.ts';
import { branchError, checkOutcome, checkReward } from '../arithmetic/chains.ts';
import type { Lists } from '../arithmetic/lists.ts';
import { countResultUint32s, testCount } from '../arithmetic/unitTests.ts';
import { CreditError } from '../creditError.ts';
import type { Capacity, Extent } from './extent.ts';

/** All trajectories of a batch; turn indices count over the forest. */
export interface Trajectories {
  /** [trajectories + 1] and the turns of each, first to last. */
  readonly turns: Lists;
  /** [trajectories]: the group of each, ascending. */
  readonly group: Uint32Array;
  /** [turns]: the trajectory of each turn, and its place in it, from 0. */
  readonly of: Uint32Array;
  readonly turnIndex: Uint32Array;
}

/** Lists of a batch; `Segmentation` is one. */
export interface ListBuilder {
  readonly build: (view: ForestView) => Lists;
}

/** Sizes of the smallest and the largest list that has members; 0 where none has. */
export interface ListSizes {
  readonly smallest: number;
  readonly largest: number;
}

/**
 * One batch in the form of the GPU's arrays. Every array is computed at its first use. So trees pass through to the
 * rules that can read trees, and a batch needs no field that its rule does not need.
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
   * All trajectories, group by group; outcomes are not asked for.
   * @throws {CreditError} as paths() does, naming group, turn and field
   */
  get trajectories(): Trajectories {
    return this.once(trajectoriesOf);
  }

  /** [trajectories]: R^O. @throws {CreditError} as chains() does, naming group, turn and field */
  get outcomes(): Float64Array {
    return this.once(outcomesOf);
  }

  /**
   * Returns the result of `make` for this batch. The first call computes it, and later calls return the same result.
   */
  once<T>(build: (view: ForestView) => T): T {
    if (!this.cache.has(build)) this.cache.set(build, build(this));
    return this.cache.get(build) as T;
  }

  /** @throws {CreditError} where a group lacks what is counted: trajectories of a tree. */
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

  /** Room that a batch like this one needs. */
  get capacity(): Capacity {
    return this.once(capacityOf);
  }

  /** The lists that `factory` builds from this batch, built once. */
  lists(factory: ListBuilder): Lists {
    return this.once(factory.build);
  }

  /** Computed once per maker, because every kernel over its lists reads the sizes. */
  listSizes(factory: ListBuilder): ListSizes {
    const known = this.sizes.get(factory);
    if (known) return known;
    const sizes = sizesOf(this.lists(factory));
    this.sizes.set(factory, sizes);
    return sizes;
  }

  /** The number of lists. */
  listCount(factory: ListBuilder): number {
    return this.lists(factory).offset.length - 1;
  }

  /** [turns]: a number of each turn. */
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

  /** A refusal that names a turn by its index in the forest. */
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
