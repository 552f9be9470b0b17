import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { ROLLOUTS } from '../random/counter.ts';
import { NONE } from './batch.ts';
import type { RowSource, TargetSource } from './forward.ts';
import type { Policy } from './policy.ts';
import { headDim, logitStride } from './policyConfiguration.ts';
import {
  type Continuation,
  checkContinuation,
  checkSampling,
  type Generated,
  lengthsAfter,
  type SamplingSettings,
  truncates,
} from './turns.ts';

/**
 * Generates on the GPU with a key-value cache. A turn of any number of sequences is one submission and one read-back:
 * new tokens of the environment are filled in as one batch of rows, then every step draws a token for each sequence
 * that still runs, and the sequences that are left are packed together on the GPU.
 */
export class Generator {
  readonly tokens: GPUBuffer;
  readonly sampled: GPUBuffer;
  /** [sequences * context] rows, then two times [sequences] slots: those of a draw and those of the next one. */
  private readonly rows: GPUBuffer;
  private readonly targets: GPUBuffer;
  private readonly counts: GPUBuffer;
  private readonly thresholds: GPUBuffer;
  private readonly lengths: GPUBuffer;
  private readonly copies: GPUBuffer;
  private readonly staging: GPUBuffer;
  private readonly tokenTable: Uint32Array<ArrayBuffer>;
  /** Rows that the environment's new tokens fill before the first draw. */
  private rowCount = 0;
  /** Cache rows that are copied from one sequence to another before the first draw. */
  private copied = 0;

  /**
   * @param turnLengths [vocabulary] how many tokens a turn has, by its first one, where that says when it ends; a turn ends
   * at its limit and at stop tokens all the same
   */
  constructor(
    private readonly policy: Policy,
    private readonly turnLengths?: readonly number[],
  ) {
    const { buffers, workspace, config } = policy;
    const { sequences } = workspace.capacity;
    const elements = sequences * config.context;
    this.tokens = buffers.storage('tokens', elements);
    this.sampled = buffers.storage('sampled', 4 * elements);
    this.rows = buffers.storage('generation rows and slots', 4 * (elements + 2 * sequences));
    this.targets = buffers.storage('generation targets', 4 * sequences);
    this.counts = buffers.storage('generation counts', 2 + config.context);
    this.thresholds = buffers.storage('thresholds', sequences);
    this.lengths = buffers.storage('turn lengths', config.vocab);
    if (turnLengths) policy.gpu.device.queue.writeBuffer(this.lengths, 0, Uint32Array.from(turnLengths));
    this.copies = buffers.storage('cache copies', 2 * elements);
    this.staging = buffers.staging('generated', 5 * elements);
    this.tokenTable = new Uint32Array(elements);
  }

  /** The token table that the next turn starts from: write the environment's tokens here. */
  get table(): Uint32Array {
    return this.tokenTable;
  }

  /**
   * Generates one turn.
   * @param parameters the policy's, or any buffer laid out like them
   * @throws {RangeError} naming the rollout that would run past the context, or the setting that cannot be
   */
  async turn(
    recorder: Recorder,
    continuations: readonly Continuation[],
    settings: SamplingSettings,
    parameters: GPUBuffer = this.policy.parameters,
  ): Promise<Generated> {
    const { config, gpu } = this.policy;
    checkSampling(settings);
    // Few runs cut anything off, so this kernel is compiled when the first one does.
    const truncate = truncates(settings, config.vocab) ? await gpu.kernels.get('policy/truncate') : undefined;
    const limit = this.upload(continuations);
    const elements = this.tokenTable.length;
    recorder.atomic(() => {
      for (let step = 0; step < limit; step++) {
        const counts = this.counts;
        if (step === 0) {
          const rows: RowSource = { rows: this.rows, rowBase: 0, counts, countIndex: 0, limit: this.rowCount };
          const targets: TargetSource = {
            targets: this.targets,
            targetBase: 0,
            counts,
            countIndex: 1,
            limit: continuations.length,
          };
          this.policy.inference.record(recorder, parameters, rows, targets);
          this.shareCache(recorder);
        } else {
          const rows: RowSource = {
            rows: this.rows,
            rowBase: 0,
            counts,
            countIndex: 1 + step,
            limit: continuations.length,
          };
          this.policy.inference.record(recorder, parameters, rows, { ...rows, targetBase: 0 });
        }
        this.sample(recorder, settings, step, continuations.length, truncate);
      }
      recorder.copy(this.tokens, 0, this.staging, 0, elements * 4);
      recorder.copy(this.sampled, 0, this.staging, elements * 4, elements * 16);
    });
    await this.staging.mapAsync(GPUMapMode.READ);
    const data = this.staging.getMappedRange().slice(0);
    this.staging.unmap();
    const tokens = new Uint32Array(data, 0, elements);
    this.tokenTable.set(tokens);
    const lengths = lengthsAfter(continuations, tokens, config.context, settings.stopTokens, this.turnLengths);
    return { tokens, sampled: new Float32Array(data, elements * 4), lengths };
  }

  /** Uploads tokens, the rows to fill in and the slots; returns the largest number of steps. */
  private upload(continuations: readonly Continuation[]): number {
    const { config, gpu, workspace } = this.policy;
    const { context } = config;
    const rows: number[] = [];
    const targets: number[] = [];
    const slots: number[] = [];
    const copies: number[] = [];
    // The rollouts of one question begin with the same tokens, and continue with the same tokens as long as they take
    // the same actions. Sequences of the same tokens compute new tokens once.
    const duplicates = new Map<string, { readonly start: number; readonly lastRow: number }>();
    let limit = 0;
    for (const continuation of continuations) {
      const { sequence, rollout, length, cached, limit: sequenceLimit } = continuation;
      checkContinuation(continuation, workspace.capacity.sequences, context);
      if (sequenceLimit === 0) continue;
      const start = sequence * context;
      const key = `${cached}:${this.prefix(start, length)}`;
      const duplicate = duplicates.get(key);
      for (let position = cached; position < length; position++) {
        const previous = position > 0 ? this.tokenTable[start + position - 1] : NONE;
        if (duplicate) copies.push(duplicate.start + position, start + position);
        else rows.push(this.tokenTable[start + position], previous, position, start);
      }
      const lastRow = duplicate?.lastRow ?? rows.length / 4 - 1;
      if (!duplicate) duplicates.set(key, { start, lastRow });
      targets.push(lastRow, 0, 0, 0);
      slots.push(sequence, length, sequenceLimit, ROLLOUTS + rollout);
      limit = Math.max(limit, sequenceLimit);
    }
    this.rowCount = rows.length / 4;
    this.copied = copies.length / 2;
    const write = (buffer: GPUBuffer, values: Uint32Array<ArrayBuffer>) =>
      gpu.device.queue.writeBuffer(buffer, 0, values);
    write(this.tokens, this.tokenTable);
    write(this.rows, Uint32Array.from(rows));
    write(this.targets, Uint32Array.from(targets));
    write(this.copies, Uint32Array.from(copies));
    gpu.device.queue.writeBuffer(this.rows, 16 * this.slotsOf(0), Uint32Array.from(slots));
    // Those of later draws are counted up.
    const counts = new Uint32Array(this.counts.size / 4);
    counts.set([this.rowCount, slots.length / 4]);
    write(this.counts, counts);
    return limit;
  }

  /** Returns the index in `rows` at which the slots of a draw start. */
  private slotsOf(step: number): number {
    const { sequences } = this.policy.workspace.capacity;
    return this.tokenTable.length + (step % 2) * sequences;
  }

  private prefix(start: number, length: number): string {
    return this.tokenTable.subarray(start, start + length).join();
  }

  /** Records the copies of keys and values between sequences with the same beginning. */
  private shareCache(recorder: Recorder): void {
    const { config, kernels, workspace } = this.policy;
    const width4 = (config.kvHeads * headDim(config)) / 4;
    for (const { keys, values } of workspace.layers) {
      recorder.dispatch(
        kernels.shareCache,
        { copies: this.copies, keys, values },
        { count: this.copied, width4 },
        { invocations: [this.copied * width4] },
      );
    }
  }

  /** Records one draw for every active sequence. The draw writes the rows of the sequences that continue. */
  private sample(
    recorder: Recorder,
    settings: SamplingSettings,
    step: number,
    limit: number,
    truncate: Kernel<'policy/truncate'> | undefined,
  ): void {
    const { config, kernels, workspace } = this.policy;
    const { counts, tokens, sampled, thresholds, rows } = this;
    const { logits, recorded } = workspace;
    const countIndex = 1 + step;
    const stride = logitStride(config);
    const inverseTemperature = 1 / settings.temperature;
    const shared = { countIndex, vocabulary: config.vocab, stride, inverseTemperature };
    const { topK, topP } = settings;
    if (truncate) recorder.dispatch(truncate, { counts, logits, thresholds }, { ...shared, topK, topP }, [limit]);
    const stop = (index: number) => settings.stopTokens[index] ?? NONE;
    recorder.dispatch(
      kernels.sample,
      { counts, logits, rows, tokens, sampled, recorded, thresholds, turnLengths: this.lengths },
      {
        ...shared,
        context: config.context,
        seed: settings.seed,
        step: settings.step,
        watch: settings.watch,
        slots: this.slotsOf(step),
        nextSlots: this.slotsOf(step + 1),
        truncated: truncate ? 1 : 0,
        first: step === 0 && this.turnLengths ? 1 : 0,
        stop0: stop(0),
        stop1: stop(1),
        stop2: stop(2),
        stop3: stop(3),
      },
      [limit],
    );
  }
}
