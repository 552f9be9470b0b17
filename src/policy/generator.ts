import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { ROLLOUTS } from '../random/counter.ts';
import { NONE } from './batch.ts';
import type { RowSource, TargetSource } from './forward.ts';
import type { Policy } from './policy.ts';
import {
  type Continuation,
  checkContinuation,
  checkSampling,
  type Generated,
  lengthsAfter,
  type SamplingSettings,
  truncates,
} from './turns.ts';
import { headDim, logitStride } from './weights.ts';

/**
 * Generator on the GPU with a key-value cache. A turn of any number of sequences is one submission and one read-back.
 * New tokens of the environment are computed as one batch of rows. Then each step draws a token for each active
 * sequence. The GPU packs the sequences that continue.
 */
export class Generator {
  readonly tokens: GPUBuffer;
  readonly sampled: GPUBuffer;
  /** Rows [sequences * context], then two lists of slots [sequences]: of one draw and of the next draw. */
  private readonly rows: GPUBuffer;
  private readonly targets: GPUBuffer;
  private readonly counts: GPUBuffer;
  private readonly thresholds: GPUBuffer;
  private readonly lengths: GPUBuffer;
  private readonly copies: GPUBuffer;
  private readonly staging: GPUBuffer;
  private readonly tokenTable: Uint32Array<ArrayBuffer>;
  /** Number of rows of new environment tokens before the first draw. */
  private rowCount = 0;
  /** Number of cache rows that are copied between sequences before the first draw. */
  private copied = 0;

  /**
   * @param turnLengths [vocabulary] number of tokens of a turn by its first token, if the first token determines it; a
   *   turn also ends at its limit and at stop tokens
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

  /** Token table at the start of the next turn. The caller writes the environment's tokens into it. */
  get table(): Uint32Array {
    return this.tokenTable;
  }

  /**
   * Generates one turn.
   * @throws {RangeError} that names the rollout that would exceed the context, or the invalid setting
   */
  async turn(
    recorder: Recorder,
    continuations: readonly Continuation[],
    settings: SamplingSettings,
  ): Promise<Generated> {
    const { config, gpu, parameters } = this.policy;
    checkSampling(settings);
    // Few runs truncate the distribution, so this kernel is compiled at its first use.
    const truncate = truncates(settings, config.vocab) ? await gpu.kernels.get('policy/truncate') : undefined;
    const limit = this.upload(continuations);
    const elements = this.tokenTable.length;
    recorder.atomic(() => {
      const { rows, targets, counts } = this;
      for (let step = 0; step < limit; step++) {
        // The first step computes the new tokens of the environment; each later step computes the last drawn tokens.
        const drawn = { counts, countIndex: 1 + step, limit: continuations.length };
        const source: RowSource =
          step === 0
            ? { rows, rowBase: 0, counts, countIndex: 0, limit: this.rowCount }
            : { rows, rowBase: 0, ...drawn };
        const goal: TargetSource = { ...drawn, targetBase: 0, ...(step === 0 ? { targets } : {}) };
        this.policy.inference.record(recorder, parameters, source, goal);
        if (step === 0) this.shareCache(recorder);
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

  /** Uploads tokens, new rows and slots. @returns the maximum number of steps */
  private upload(continuations: readonly Continuation[]): number {
    const { config, gpu, workspace } = this.policy;
    const { context } = config;
    const rows: number[] = [];
    const targets: number[] = [];
    const slots: number[] = [];
    const copies: number[] = [];
    // The rollouts of one task begin with the same tokens. They continue with the same tokens until their actions
    // differ. Sequences with the same tokens compute new tokens once.
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
    // The GPU increments the counts of later draws.
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

  /** Records the copies of keys and values between sequences with the same prefix. */
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

  /** Records one draw for each active sequence. The draw writes the rows of the sequences that continue. */
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
