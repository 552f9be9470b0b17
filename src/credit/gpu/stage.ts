import type { Constants } from '../../gpu/kernel.ts';
import type { KernelName } from '../../gpu/kernelTypes.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Lists } from '../arithmetic/lists.ts';
import type { Extent } from './extent.ts';
import type { ForestView } from './forestView.ts';

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

/** Lists of indices into some array, as two arrays of the batch. */
export interface Segmentation {
  readonly offset: BatchArray;
  readonly member: BatchArray;
  /** The lists themselves; `ForestView.lists` keeps what this makes. */
  readonly build: (view: ForestView) => Lists;
}

/**
 * One dispatch of a rule's GPU form, as data: rule files stay readable, and loadable, without WebGPU.
 * @typeParam Values values of the rule's parameters: typed values in the rule's file, otherwise the stored values
 */
export interface Stage<in Values = ParameterValues> {
  /** Path below `shaders/` without the extension. Its uniform `count` is the number of items. */
  readonly kernel: KernelName;
  readonly bindings: Readonly<Record<string, BatchArray>>;
  /** Number of items that the kernel works on; on one level if the stage has levels. */
  readonly count: (view: ForestView, level: number) => number;
  /** Each item has a workgroup; an invocation where absent. */
  readonly each?: 'workgroup';
  /** Values of the shader's `override` constants that the host names too. */
  readonly constants?: Constants;
  /** The same kernel for items of different sizes, each dispatched where there are such items. */
  readonly variants?: readonly StageVariant[];
  /**
   * Further uniforms, from the rule's parameters, the batch and the level.
   * @throws {CreditError} for a group that these parameters cannot read
   */
  readonly uniforms?: (values: Values, view: ForestView, level: number) => Readonly<Record<string, number>>;
  /** A stage that these values do not need is left out. */
  readonly when?: (values: Values) => boolean;
  /**
   * Number of consecutive dispatches of the stage, with the uniform `level` counting down to 0: tree levels, leaves
   * first. If absent, there is one dispatch without the uniform.
   */
  readonly levels?: (view: ForestView) => number;
}

/** A kernel compiled for some of a stage's items; it passes over the others. */
export interface StageVariant {
  /** Constants in addition to those of the stage. */
  readonly constants: Constants;
  readonly each?: 'workgroup';
  readonly isRequired: (view: ForestView) => boolean;
}

/** The same stage for a caller that holds values of another type. @param read makes the stage's own of the caller's */
export function adaptStage<Input, Values>(stage: Stage<Values>, read: (given: Input) => Values): Stage<Input> {
  const { uniforms, when, ...rest } = stage;
  return {
    ...rest,
    ...(uniforms ? { uniforms: (given, view, level) => uniforms(read(given), view, level) } : {}),
    ...(when ? { when: (given) => when(read(given)) } : {}),
  };
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
