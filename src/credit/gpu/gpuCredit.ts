import type { BufferSet } from '../../gpu/buffers.ts';
import type { Gpu } from '../../gpu/device.ts';
import { type Constants, type Kernel, type KernelCache, workgroupOf } from '../../gpu/kernel.ts';
import { MAX_WORKGROUPS, type Recorder } from '../../gpu/recorder.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Forest } from '../../rollouts/forest.ts';
import type { CreditRule } from '../rule.ts';
import { advantage } from './batchArrays.ts';
import { batchStages } from './batchStages.ts';
import type { Capacity, Extent } from './extent.ts';
import { ForestView } from './forestView.ts';
import type { BatchArray, Stage, StageVariant } from './stage.ts';

/**
 * Credit of whole batches on the GPU, float32: runs the stages that rules declare. All buffers are made once; the
 * advantages stay on the GPU, where the policy's loss reads them by turn index.
 *
 * @example
 *   const forest = buildForest(groups);
 *   const credit = await GpuCredit.create(gpu, buffers, new ForestView(forest).capacity, RULES);
 *   credit.upload(forest);
 *   credit.record(recorder, findRule('mt-grpo'), { alpha: 1 });
 *   recorder.submit(); // credit.advantage now holds [turns]
 */
export class GpuCredit {
  /** [capacity.turns] float32; valid up to the number of turns of the batch, behind a record and a submit. */
  readonly advantage: GPUBuffer;
  private view: ForestView | undefined;
  /** Arrays of the present batch that are on the GPU. */
  private readonly uploaded = new Set<BatchArray>();
  /** Kernels that are compiled, and the compilation of each requested rule. */
  private readonly kernels = new Map<string, Kernel>();
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
   * Makes a buffer for each array that the rules mention and compiles the kernels of the first ones.
   * @param capacity the most turns, trajectories and groups of one batch
   * @param rules those that may be recorded
   * @param first rules that can be recorded at once; the others after `compile`
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

  /** Compiles the kernels of a rule, once. The device continues its work meanwhile. */
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
   * Takes the next batch. An array goes up when the first rule that reads it is recorded, so a batch of trees passes
   * here and is refused by the rules that need trajectories.
   * @param written arrays that another kernel writes, in place of what the rollouts say (values of a critic)
   * @throws {RangeError} when the batch is larger than the capacity.
   */
  upload(forest: Forest, written: readonly BatchArray[] = []): void {
    this.view = new ForestView(forest);
    this.uploaded.clear();
    for (const array of written) this.uploaded.add(array);
    this.check('groups', this.view.groups);
    this.check('turns', this.view.turns);
  }

  /** Takes the advantages of the uploaded batch from the host, in place of a rule's stages. @param advantages [turns] */
  uploadAdvantages(advantages: Float32Array<ArrayBuffer>): void {
    this.check('turns', advantages.length);
    this.device.queue.writeBuffer(this.advantage, 0, advantages);
  }

  /**
   * Records the stages of a rule over the uploaded batch; its kernels must be compiled.
   * @throws {CreditError} for a group that the rule cannot read, naming group and turn.
   * @throws {RangeError} when the batch has more trajectories than the capacity.
   */
  record(recorder: Recorder, rule: CreditRule, parameters: ParameterValues): void {
    this.recordStages(recorder, rule.stages, parameters);
  }

  /** Records the normalisation over the batch after `record`, for a rule that has it (`CreditRule.batch`). */
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
          // If the workgroups exceed one side of a grid, the rest is in further rows.
          const grid = [Math.min(workgroups, MAX_WORKGROUPS), Math.ceil(workgroups / MAX_WORKGROUPS)] as const;
          // A tree may have more levels than a submission has room for; submissions keep their order.
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

  /** The buffer of an array. @throws {Error} where no rule mentions it */
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

/** The kernels of a stage, one where it has no variants, each with all of its constants. */
function variantsOf({ each, constants, variants }: Stage): readonly StageVariant[] {
  const plain: StageVariant = { constants: {}, ...(each ? { each } : {}), isRequired: () => true };
  return (variants ?? [plain]).map((variant) => ({ ...variant, constants: { ...constants, ...variant.constants } }));
}

function kernelKey(name: string, constants: Constants): string {
  return `${name} ${JSON.stringify(constants)}`;
}

/** Leaves first. */
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
