import type { Constants } from '../../gpu/kernel.ts';
import type { KernelName } from '../../gpu/kernelTypes.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Lists } from '../arithmetic/lists.ts';
import type { Extent, ForestView } from './forestView.ts';

/**
 * Array of a batch in one storage buffer. Rules refer to arrays by these objects, so a rule that requires a new array
 * declares it in its file. `GpuCredit` creates a buffer for each array in the stages of its rules.
 */
export interface BatchArray {
  readonly label: string;
  readonly type: 'f32' | 'u32';
  readonly extent: Extent;
  /** Number of 32-bit words per element: 2 for a signature of 64 bits; 1 if absent. */
  readonly width?: number;
  /** Number of elements beyond the extent: 1 for offsets; 0 if absent. */
  readonly extra?: number;
  /** Returns the contents, for an array that comes from the rollouts. Absent if a kernel writes the array. */
  readonly fill?: (view: ForestView) => ArrayLike<number>;
}

/** Lists of indices of items, as two arrays of the batch. */
export interface Segmentation {
  readonly offset: BatchArray;
  readonly member: BatchArray;
  /** Builds the lists; `ForestView.lists` caches the result. */
  readonly build: (view: ForestView) => Lists;
}

/**
 * Dispatch of a rule on the GPU, as data. Rule files are therefore readable and loadable without WebGPU.
 * @typeParam Values values of the rule's parameters: typed values in the rule's file, otherwise the stored values
 */
export interface Stage<in Values = ParameterValues> {
  /** Path below `shaders/` without the extension. Its uniform `count` is the number of items. */
  readonly kernel: KernelName;
  readonly bindings: Readonly<Record<string, BatchArray>>;
  /** Returns the number of items that the kernel processes, on one level if the stage has levels. */
  readonly count: (view: ForestView, level: number) => number;
  /** Unit that processes one item: a workgroup, or an invocation if absent. */
  readonly each?: 'workgroup';
  /** Values of `override` constants that the shader shares with the host. */
  readonly constants?: Constants;
  /** Variants of the kernel for items of different sizes. A variant is dispatched only if such items exist. */
  readonly variants?: readonly StageVariant[];
  /**
   * Returns further uniforms from the rule's parameters, the batch and the level.
   * @throws {CreditError} for a group that these parameters cannot read
   */
  readonly uniforms?: (values: Values, view: ForestView, level: number) => Readonly<Record<string, number>>;
  /** Returns false if these values do not require the stage, which is then omitted. */
  readonly when?: (values: Values) => boolean;
  /**
   * Returns the number of consecutive dispatches of the stage. Its uniform `level` counts down to 0: tree levels,
   * leaves first. If absent, there is one dispatch without the uniform.
   */
  readonly levels?: (view: ForestView) => number;
}

/** Kernel variant for some of a stage's items. It skips the other items. */
export interface StageVariant {
  /** Constants in addition to the constants of the stage. */
  readonly constants: Constants;
  readonly each?: 'workgroup';
  readonly isRequired: (view: ForestView) => boolean;
}

/** Adapts a stage to values of another type. @param read converts them to the values of the stage */
export function adaptStage<Input, Values>(stage: Stage<Values>, read: (given: Input) => Values): Stage<Input> {
  const { uniforms, when, ...rest } = stage;
  return {
    ...rest,
    ...(uniforms ? { uniforms: (given, view, level) => uniforms(read(given), view, level) } : {}),
    ...(when ? { when: (given) => when(read(given)) } : {}),
  };
}

/** Creates an array that kernels write and read. */
export function scratch(label: string, extent: Extent, type: BatchArray['type'] = 'f32'): BatchArray {
  return { label, type, extent };
}

/** Creates lists of `members`, at most one list per element of `segments`, as offsets and indices. */
export function segmentation(
  label: string,
  segments: Extent,
  members: Extent,
  build: Segmentation['build'],
): Segmentation {
  const result: Segmentation = {
    offset: {
      label: `${label} offset`,
      type: 'u32',
      extent: segments,
      extra: 1,
      fill: (view) => view.lists(result).offset,
    },
    member: { label: `${label} member`, type: 'u32', extent: members, fill: (view) => view.lists(result).member },
    build,
  };
  return result;
}
