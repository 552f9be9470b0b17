import { BufferSet, readBuffer } from '../../gpu/buffers.ts';
import type { Gpu } from '../../gpu/device.ts';
import { Recorder } from '../../gpu/recorder.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { buildForest, type Group } from '../../rollouts/forest.ts';
import { countResultUint32s, testCount } from '../arithmetic/unitTests.ts';
import type { Credit, CreditRule } from '../rule.ts';
import { advantage, tokenAdvantage, tokenReturn } from './batchArrays.ts';
import { type Capacity, type Extent, ForestView } from './forestView.ts';
import { GpuCredit } from './gpuCredit.ts';
import type { BatchArray } from './stage.ts';

/** Number of dispatches per submission: the stages of the longest rule over a tree of many levels. */
const SLOTS = 1024;

/** Runner of one rule on complete batches on the GPU. It reads all results back, for files, tests and benchmarks. */
export class CreditBatch {
  private buffers: BufferSet | undefined;
  private credit: GpuCredit | undefined;
  private capacity: Capacity | undefined;
  private readonly recorder: Recorder;

  constructor(
    private readonly gpu: Pick<Gpu, 'device' | 'kernels'>,
    readonly rule: CreditRule,
  ) {
    this.recorder = new Recorder(gpu.device, SLOTS);
  }

  /**
   * Computes the credit of each group. The float32 numbers have the shape of the result of `CreditRule.credit`.
   * @throws {CreditError} that names group, turn and field, for a group that the rule cannot read
   */
  async run(groups: readonly Group[], parameters: ParameterValues): Promise<readonly Credit[]> {
    const { rule } = this;
    const forest = buildForest(groups);
    const view = new ForestView(forest);
    const credit = await this.capacityFor(view.capacity);
    credit.upload(forest);
    this.recorder.atomic(() => credit.record(this.recorder, rule, parameters));

    const { device } = this.gpu;
    const read = async (array: BatchArray) => {
      const count = view.count(array.extent);
      if (count === 0) return new Float32Array();
      const bytes = await readBuffer(device, credit.buffer(array), count);
      return array.type === 'u32' ? new Uint32Array(bytes) : new Float32Array(bytes);
    };
    const cut = cutter(view);
    const advantages = cut('turns', await read(advantage));
    const retained = rule.retained && cut('turns', await read(rule.retained));
    const tokens = rule.unit === 'token' && {
      advantages: cut('tokens', await read(tokenAdvantage)),
      returns: cut('tokens', await read(tokenReturn)),
    };
    const outputs = await Promise.all(
      Object.entries(rule.outputs).map(async ([name, array]) => {
        return { name, extent: array.extent, parts: cut(array.extent, await read(array)) };
      }),
    );
    return groups.map((_, group): Credit => {
      const maskPruned = (values: Float64Array) =>
        retained ? values.map((value, turn) => (retained[group][turn] === 0 ? NaN : value)) : values;
      const intermediate = outputs.map(({ name, extent, parts }) => {
        return [name, extent === 'turns' ? maskPruned(parts[group]) : parts[group]] as const;
      });
      return {
        advantage: maskPruned(advantages[group]),
        ...(tokens ? { tokens: { advantages: tokens.advantages[group], returns: tokens.returns[group] } } : {}),
        intermediate: Object.fromEntries(intermediate),
      };
    });
  }

  destroy(): void {
    this.recorder.destroy();
    this.buffers?.destroy();
  }

  /** Returns buffers and kernels with at least the required capacity. Buffers grow at least by doubling. */
  private async capacityFor(required: Capacity): Promise<GpuCredit> {
    const { capacity } = this;
    const extents = Object.keys(required) as Extent[];
    if (this.credit && capacity && extents.every((extent) => required[extent] <= capacity[extent])) return this.credit;
    // The capacity stays within the largest binding of the device, offsets included, unless the batch itself exceeds
    // it.
    const limit = this.gpu.device.limits.maxStorageBufferBindingSize / 4 - 4;
    const grown = (extent: Extent) =>
      Math.max(required[extent], Math.min(2 * required[extent], 2 * (capacity?.[extent] ?? 0), limit));
    this.capacity = Object.fromEntries(extents.map((extent) => [extent, grown(extent)])) as Capacity;
    this.buffers?.destroy();
    this.buffers = new BufferSet(this.gpu.device);
    this.credit = await GpuCredit.create(this.gpu, this.buffers, this.capacity, [this.rule]);
    return this.credit;
  }
}

/**
 * Returns a function that splits the values of a batch by group. The value of a trajectory is copied to each of its
 * turns.
 */
function cutter(view: ForestView): (extent: Extent, values: Float32Array | Uint32Array) => Float64Array[] {
  const { groups, groupOffset } = view.forest;
  const between = (values: Float32Array | Uint32Array | Float64Array, offset: ArrayLike<number>) =>
    groups.map((_, group) => new Float64Array(values.subarray(offset[group], offset[group + 1])));
  const offsets = (size: (group: Group) => number) => {
    const result = [0];
    for (const group of groups) result.push(result[result.length - 1] + size(group));
    return result;
  };
  const sum = (turns: Group['turns'], size: (turn: Group['turns'][number]) => number) =>
    turns.reduce((total, turn) => total + size(turn), 0);
  return (extent, values) => {
    switch (extent) {
      case 'turns':
        return between(values, groupOffset);
      case 'groups':
        return between(values, groups.map((_, group) => group).concat(groups.length));
      case 'tokens':
        return between(
          values,
          offsets(({ turns }) => sum(turns, ({ tokens = 0 }) => tokens)),
        );
      case 'tests':
        return between(values, offsets(testCount));
      case 'trajectories':
        return between(
          Float64Array.from(view.trajectories.of, (trajectory) => values[trajectory]),
          groupOffset,
        );
      case 'results':
        return between(values, offsets(countResultUint32s));
    }
  };
}
