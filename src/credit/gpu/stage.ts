import type { ParameterValues } from '../../parameters/parameters.ts';
import type { ForestView } from './forestView.ts';

/**
 * What an array holds one element for. `tokens` are those that the policy wrote, turn by turn; `tests` the unit tests
 * of each group, group by group; `results` words of 32 test results, packed as unitTests.ts says.
 */
export type Extent = 'turns' | 'trajectories' | 'groups' | 'tokens' | 'tests' | 'results';

/** The most elements of each kind that one batch may have. */
export type Capacity = Readonly<Record<Extent, number>>;

/**
 * An array of a batch that lives in one storage buffer. Rules name arrays by these objects, so a rule that needs a
 * new one declares it in its own file; `GpuCredit` makes a buffer for every array that some rule's stages mention.
 */
export interface BatchArray {
  readonly label: string;
  readonly type: 'f32' | 'u32';
  readonly extent: Extent;
  /** Words of an element: 2 for a signature of 64 bits. 1 where absent. */
  readonly width?: number;
  /** Elements beyond the extent: 1 for offsets. */
  readonly extra?: number;
  /** The contents, for arrays that come from the rollouts; absent where a kernel writes them. */
  readonly fill?: (view: ForestView) => ArrayLike<number>;
}

/** Lists of numbers: list i is `member[offset[i]] .. member[offset[i + 1] - 1]`. */
export interface Lists {
  /** [lists + 1] */
  readonly offset: Uint32Array;
  readonly member: Uint32Array;
}

/** Lists of indices into some array, as two arrays of the batch. */
export interface Segmentation {
  readonly offset: BatchArray;
  readonly member: BatchArray;
  /** The lists themselves; `ForestView.lists` keeps what this makes. */
  readonly make: (view: ForestView) => Lists;
}

/** One dispatch of a rule's GPU form, as data: rule files stay readable, and loadable, without WebGPU. */
export interface Stage {
  /** Path below `shaders/` without the extension. Its uniform `count` is the number of items. */
  readonly kernel: string;
  readonly bindings: Readonly<Record<string, BatchArray>>;
  /** How many items the kernel works on, on a level where the stage has levels. */
  readonly count: (view: ForestView, level: number) => number;
  /** Items that one workgroup takes: 1 for a workgroup an item, 64 for an invocation an item. */
  readonly itemsPerWorkgroup: number;
  /** The same kernel for items of different sizes, each dispatched where there are such items. */
  readonly variants?: readonly StageVariant[];
  /**
   * Further uniforms, from the rule's parameters, the batch and the level.
   * @throws {CreditError} for a group that these parameters cannot read
   */
  readonly uniforms?: (
    parameters: ParameterValues,
    view: ForestView,
    level: number,
  ) => Readonly<Record<string, number>>;
  /** A stage that these parameters do not need is left out. */
  readonly when?: (parameters: ParameterValues) => boolean;
  /**
   * How often the stage is dispatched, one after the other, with the uniform `level` counting down to 0: tree levels,
   * leaves first. Once, without the uniform, where absent.
   */
  readonly levels?: (view: ForestView) => number;
}

/** A kernel compiled for some of a stage's items; it passes over the others. */
export interface StageVariant {
  readonly constants: Readonly<Record<string, number>>;
  readonly itemsPerWorkgroup: number;
  readonly needed: (view: ForestView) => boolean;
}

/** An array that kernels write and read. */
export function scratch(label: string, extent: Extent, type: BatchArray['type'] = 'f32'): BatchArray {
  return { label, type, extent };
}

/** Lists of `members`, at most one list for each element of `segments`; stored as offsets and indices. */
export function segmentation(
  label: string,
  segments: Extent,
  members: Extent,
  make: Segmentation['make'],
): Segmentation {
  const made: Segmentation = {
    offset: {
      label: `${label} offset`,
      type: 'u32',
      extent: segments,
      extra: 1,
      fill: (view) => view.lists(made).offset,
    },
    member: { label: `${label} member`, type: 'u32', extent: members, fill: (view) => view.lists(made).member },
    make,
  };
  return made;
}

/** Key of members that belong to no list. */
export const NO_LIST = 0xffffffff;

/**
 * Gathers members by key, in their order: list k holds the indices i with keys[i] = k, by counting.
 * @param keys [members] below `lists`, or NO_LIST
 */
export function listsBy(keys: Uint32Array, lists: number): Lists {
  const offset = new Uint32Array(lists + 1);
  for (const key of keys) if (key !== NO_LIST) offset[key + 1]++;
  for (let list = 0; list < lists; list++) offset[list + 1] += offset[list];
  const member = new Uint32Array(offset[lists]);
  const next = offset.slice();
  for (let index = 0; index < keys.length; index++) {
    if (keys[index] !== NO_LIST) member[next[keys[index]]++] = index;
  }
  return { offset, member };
}

/** The lists that have members, in their order. */
export function withoutEmpty({ offset, member }: Lists): Lists {
  const kept = new Uint32Array(offset.length);
  let lists = 0;
  for (let end = 1; end < offset.length; end++) if (offset[end] > offset[end - 1]) kept[++lists] = offset[end];
  return { offset: kept.subarray(0, lists + 1), member };
}

/** The indices of one list. */
export function listAt({ offset, member }: Lists, list: number): Uint32Array {
  return member.subarray(offset[list], offset[list + 1]);
}
