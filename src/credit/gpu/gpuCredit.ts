import type { BufferSet } from '../../gpu/buffers.ts';
import type { Gpu } from '../../gpu/device.ts';
import { type Constants, type Kernel, type KernelCache, workgroupOf } from '../../gpu/kernel.ts';
import { MAX_WORKGROUPS, type Recorder } from '../../gpu/recorder.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Forest } from '../../rollouts/forest.ts';
import { BATCH_EPSILON, type BatchMembers, memberCounts } from '../arithmetic/normalize.ts';
import type { CreditRule } from '../rule.ts';
import { advantage } from './batchArrays.ts';
import { type Capacity, type Extent, ForestView } from './forestView.ts';
import type { BatchArray, Stage, StageVariant } from './stage.ts';

/**
 * Credit of complete batches on the GPU in float32. It runs the stages that rules declare. All buffers are created
 * once. The advantages remain on the GPU, where the policy's loss reads them by turn index.
 *
 * @example
 *   const forest = buildForest(groups);
 *   const credit = await GpuCredit.create(gpu, buffers, new ForestView(forest).capacity, RULES);
 *   credit.upload(forest);
 *   credit.record(recorder, findRule('mt-grpo'), { alpha: 1 });
 *   recorder.submit(); // credit.advantage now holds [turns]
 */
export class GpuCredit {
  /** Advantages [capacity.turns], float32. After a record and a submit, the turns of the batch have valid elements. */
  readonly advantage: GPUBuffer;
  private view: ForestView | undefined;
  /** Arrays of the current batch that are on the GPU. */
  private readonly uploaded = new Set<BatchArray>();
  /** Compiled kernels, by name and constants. */
  private readonly kernels = new Map<string, Kernel>();
  /** Compilations of rules, in progress or complete. */
  private readonly compiled = new Map<CreditRule, Promise<void>>();

  private constructor(
    private readonly device: GPUDevice,
    private readonly cache: KernelCache,
    private readonly capacity: Capacity,
    private readonly arrays: ReadonlyMap<BatchArray, GPUBuffer>,
  ) {
    this.advantage = this.buffer(advantage);
  }

  /**
   * Creates a buffer for each array of the rules and compiles the kernels of `first`.
   * @param capacity maximum number of items of one batch
   * @param rules rules that may be recorded
   * @param first rules that can be recorded immediately; the other rules require `compile`
   */
  static async create(
    gpu: Pick<Gpu, 'device' | 'kernels'>,
    buffers: BufferSet,
    capacity: Capacity,
    rules: readonly CreditRule[],
    first = rules,
  ): Promise<GpuCredit> {
    const stages = rules.flatMap((rule) => [...rule.stages, ...batchStages(rule)]);
    const arrays = new Set([advantage, ...stages.flatMap((stage) => Object.values(stage.bindings))]);
    const storage = [...arrays].map((array) => {
      const size = (capacity[array.extent] + (array.extra ?? 0)) * (array.width ?? 1);
      return [array, buffers.storage(`credit ${array.label}`, size)] as const;
    });
    const credit = new GpuCredit(gpu.device, gpu.kernels, capacity, new Map(storage));
    await Promise.all(first.map((rule) => credit.compile(rule)));
    return credit;
  }

  /** Compiles the kernels of a rule, once. The device continues its work during the compilation. */
  compile(rule: CreditRule): Promise<void> {
    let compiled = this.compiled.get(rule);
    if (!compiled) {
      compiled = this.compileNow(rule);
      this.compiled.set(rule, compiled);
    }
    return compiled;
  }

  private async compileNow(rule: CreditRule): Promise<void> {
    const pending = [...rule.stages, ...batchStages(rule)].flatMap((stage) =>
      variantsOf(stage).map(async ({ constants }) => {
        this.kernels.set(kernelKey(stage.kernel, constants), await this.cache.get(stage.kernel, constants));
      }),
    );
    await Promise.all(pending);
  }

  /**
   * Sets the batch. An array is uploaded when the first rule that reads it is recorded. A batch of trees is therefore
   * accepted here; rules that require trajectories reject it.
   * @param written arrays that another kernel writes in place of an upload (values of a critic)
   * @throws {RangeError} if the batch has more groups or turns than the capacity
   */
  upload(forest: Forest, written: readonly BatchArray[] = []): void {
    this.view = new ForestView(forest);
    this.uploaded.clear();
    for (const array of written) this.uploaded.add(array);
    this.check('groups', this.view.groups);
    this.check('turns', this.view.turns);
  }

  /** Uploads advantages of the batch from the host, in place of the stages of a rule. @param advantages [turns] */
  uploadAdvantages(advantages: Float32Array<ArrayBuffer>): void {
    this.check('turns', advantages.length);
    this.device.queue.writeBuffer(this.advantage, 0, advantages);
  }

  /**
   * Records the stages of a rule over the uploaded batch. The kernels of the rule must be compiled.
   * @throws {CreditError} that names group and turn, for a group that the rule cannot read
   * @throws {RangeError} if the batch exceeds the capacity
   */
  record(recorder: Recorder, rule: CreditRule, parameters: ParameterValues): void {
    this.recordStages(recorder, rule.stages, parameters);
  }

  /** Records the normalisation over the batch after `record`, if the rule has one (`CreditRule.batch`). */
  recordBatch(recorder: Recorder, rule: CreditRule): void {
    this.recordStages(recorder, batchStages(rule), {});
  }

  private recordStages(recorder: Recorder, stages: readonly Stage[], parameters: ParameterValues): void {
    const { view } = this;
    if (!view) throw new Error('credit: upload a batch before recording a rule');
    for (const stage of stages) {
      if (stage.when?.(parameters) === false) continue;
      const bindings = this.bind(stage, view);
      const requiredVariants = variantsOf(stage).filter((variant) => variant.isRequired(view));
      for (const level of stage.levels ? levelsDown(stage.levels(view)) : [undefined]) {
        const count = stage.count(view, level ?? 0);
        const uniforms = {
          count,
          ...(level === undefined ? {} : { level }),
          ...stage.uniforms?.(parameters, view, level ?? 0),
        };
        for (const { constants, each } of requiredVariants) {
          const items = each === 'workgroup' ? 1 : workgroupOf(stage.kernel)[0];
          const workgroups = Math.ceil(count / items);
          // Workgroups beyond the limit of one grid dimension are in further rows.
          const grid = [Math.min(workgroups, MAX_WORKGROUPS), Math.ceil(workgroups / MAX_WORKGROUPS)] as const;
          // A tree may have more levels than a submission has slots. Submissions run in order.
          if (recorder.remainingSlots === 0) recorder.submit();
          recorder.dispatch(this.kernel(stage.kernel, constants), bindings, uniforms, grid);
        }
      }
    }
  }

  private bind(stage: Stage, view: ForestView): Record<string, GPUBuffer> {
    const bindings: Record<string, GPUBuffer> = {};
    for (const [name, array] of Object.entries(stage.bindings)) {
      bindings[name] = this.buffer(array);
      if (this.uploaded.has(array)) continue;
      this.check(array.extent, view.count(array.extent));
      const values = array.fill?.(view);
      if (values) this.device.queue.writeBuffer(bindings[name], 0, toTypedArray(array, values));
      this.uploaded.add(array);
    }
    return bindings;
  }

  private check(extent: Extent, count: number): void {
    const maximum = this.capacity[extent];
    if (count > maximum) throw new RangeError(`credit: the batch has ${count} ${extent}, there is room for ${maximum}`);
  }

  /** Returns the buffer of an array. @throws {Error} if no rule uses the array */
  buffer(array: BatchArray): GPUBuffer {
    const buffer = this.arrays.get(array);
    if (!buffer) throw new Error(`credit: array "${array.label}" belongs to no rule that this was made for`);
    return buffer;
  }

  private kernel(name: string, constants: Constants): Kernel {
    const kernel = this.kernels.get(kernelKey(name, constants));
    if (!kernel) throw new Error(`credit: kernel "${name}" belongs to no rule that was compiled`);
    return kernel;
  }
}

/** Returns the variants of a stage, each with all constants. A stage without variants has one. */
function variantsOf({ each, constants, variants }: Stage): readonly StageVariant[] {
  const plain: StageVariant = { constants: {}, ...(each ? { each } : {}), isRequired: () => true };
  return (variants ?? [plain]).map((variant) => ({ ...variant, constants: { ...constants, ...variant.constants } }));
}

function kernelKey(name: string, constants: Constants): string {
  return `${name} ${JSON.stringify(constants)}`;
}

/** Returns the levels in descending order: leaves first. */
function levelsDown(levels: number): number[] {
  return Array.from({ length: levels }, (_, index) => levels - 1 - index);
}

function toTypedArray(
  array: BatchArray,
  values: ArrayLike<number>,
): Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer> {
  const Kind = array.type === 'u32' ? Uint32Array : Float32Array;
  return values instanceof Kind ? (values as Uint32Array<ArrayBuffer>) : Kind.from(values);
}

/** Creates the array of the number of members per turn [turns]. */
const members = (counted: BatchMembers): BatchArray => ({
  label: `${counted} of turns`,
  type: 'u32',
  extent: 'turns',
  fill: ({ forest }) => memberCounts(forest.groups, counted),
});

const normalizeOver = (counted: BatchMembers): Stage => ({
  kernel: 'credit/batch_normalize',
  bindings: { members: members(counted), advantage },
  count: () => 1,
  each: 'workgroup',
  uniforms: (_, view) => ({ turns: view.turns, epsilon: BATCH_EPSILON }),
});

const STAGES: Readonly<Record<BatchMembers, readonly Stage[]>> = {
  rollouts: [normalizeOver('rollouts')],
  tokens: [normalizeOver('tokens')],
};

/** Returns the stages that an update records after the stages of a rule. */
function batchStages({ batch }: Pick<CreditRule, 'batch'>): readonly Stage[] {
  return batch ? STAGES[batch] : [];
}
