import type { ParameterValues } from '../parameters/parameters.ts';
import type { ForestView } from './forestView.ts';

/** What an array holds one element for. The capacity of a run gives each a largest number. */
export type Extent = 'turns' | 'trajectories' | 'groups';
export type Capacity = Readonly<Record<Extent, number>>;

/**
 * An array of a batch that lives in one storage buffer. Rules name arrays by these objects, so a rule that needs a
 * new one declares it in its own file; `GpuCredit` makes a buffer for every array that some rule's stages mention.
 */
export interface BatchArray {
  readonly label: string;
  readonly type: 'f32' | 'u32';
  readonly extent: Extent;
  /** Elements beyond the extent: 1 for offsets. */
  readonly extra?: number;
  /** The contents, for arrays that come from the rollouts; absent where a kernel writes them. */
  readonly fill?: (view: ForestView) => ArrayLike<number>;
}

/** Lists of members: list i holds `member[offset[i]] .. member[offset[i + 1] - 1]`, indices into some array. */
export interface Segmentation {
  readonly offset: BatchArray;
  readonly member: BatchArray;
  /** The lists themselves. */
  readonly lists: (view: ForestView) => readonly (readonly number[])[];
}

/** One dispatch of a rule's GPU form, as data: rule files stay readable, and loadable, without WebGPU. */
export interface Stage {
  /** Path below `shaders/` without the extension. Its uniform `count` is the number of items. */
  readonly kernel: string;
  readonly bindings: Readonly<Record<string, BatchArray>>;
  /** How many items the kernel works on. */
  readonly count: (view: ForestView) => number;
  /** Items that one workgroup takes: 1 for a workgroup an item, 64 for an invocation an item. */
  readonly itemsPerWorkgroup: number;
  /** Further uniforms, from the rule's parameters. */
  readonly uniforms?: (parameters: ParameterValues) => Readonly<Record<string, number>>;
}

/** An array that kernels write and read. */
export function scratch(label: string, extent: Extent): BatchArray {
  return { label, type: 'f32', extent };
}

/** Lists of `members`, at most one list for each element of `segments`; stored as offsets and indices. */
export function segmentation(
  label: string,
  segments: Extent,
  members: Extent,
  lists: Segmentation['lists'],
): Segmentation {
  const made: Segmentation = {
    offset: {
      label: `${label} offset`,
      type: 'u32',
      extent: segments,
      extra: 1,
      fill: (view) => {
        const offsets = [0];
        for (const list of view.lists(made)) offsets.push(offsets[offsets.length - 1] + list.length);
        return offsets;
      },
    },
    member: { label: `${label} member`, type: 'u32', extent: members, fill: (view) => view.lists(made).flat() },
    lists,
  };
  return made;
}
