import type { ParameterValues } from '../../parameters/parameters.ts';
import type { SampledBatch } from '../collect/collectRequest.ts';
import type { TruthMessage, TruthRequest } from '../data/truthProtocol.ts';
import type { TruthReport } from '../data/truthReport.ts';
import type { Trainer } from '../run/trainer.ts';

/** A group that the page shows. */
export interface DisplayedGroup {
  readonly batch: SampledBatch;
  readonly group: number;
  /** As they were when it was played. */
  readonly controls: ParameterValues;
  readonly sampleOnly: boolean;
}

/** Members of a trainer that a measurement needs: it samples and differentiates, and does not learn. */
export type MeasuringTrainer = Pick<
  Trainer,
  | 'environment'
  | 'controls'
  | 'seed'
  | 'step'
  | 'capacityFor'
  | 'play'
  | 'gradient'
  | 'tokenProbabilities'
  | 'workOut'
  | 'readableBy'
  | 'valuedBy'
>;

/** Functions that observe and stop a measurement. */
export interface MeasuringHooks {
  /** After every batch; nothing is played before it resolves. */
  progress(progress: Omit<Extract<TruthMessage, { type: 'truth-progress' }>, 'type'>): Promise<void>;
  /** Stops it between batches. */
  readonly signal: AbortSignal;
  now(): number;
}

/** Measures a group (src/experiments/truth/measureSelected.ts); undefined where nothing was complete when it was stopped. */
export type MeasureTruth = (
  trainer: MeasuringTrainer,
  displayed: DisplayedGroup,
  request: TruthRequest,
  hooks: MeasuringHooks,
) => Promise<TruthReport | undefined>;

/** Functions that a session provides for a measurement. */
export interface MeasuringHost {
  /** Absent where nothing can be measured. */
  readonly measureTruth?: MeasureTruth;
  post(message: TruthMessage): void;
  now(): number;
}

/** Group to measure, and the trainer that measures it. */
export interface ToMeasure {
  readonly trainer: MeasuringTrainer;
  /** Undefined if the group was removed. */
  readonly displayed: DisplayedGroup | undefined;
  /** Returns the error of a command that the GPU refused since the last call. */
  deviceError(): string | undefined;
}

/** The measurements that the page asks for. */
export class Measuring {
  private readonly pending = new Set<AbortController>();

  /** @param rest waits while the tab is hidden, but not longer than the signal allows */
  constructor(
    private readonly host: MeasuringHost,
    private readonly rest: (signal: AbortSignal) => Promise<void>,
  ) {}

  /**
   * Registers a requested measurement, which may have to wait. Returns the signal that aborts when the measurement is
   * no longer requested.
   */
  start(): AbortSignal {
    const stop = new AbortController();
    this.pending.add(stop);
    return stop.signal;
  }

  /** Stops what is measured, and what waits to be. */
  cancel(): void {
    for (const stop of this.pending) stop.abort();
  }

  /**
   * Measures, and reports the result to the page.
   * @param signal result of `asked`
   * @param prepare called when the measurement begins
   * @throws the error, after it is reported to the page
   */
  async measure(request: TruthRequest, signal: AbortSignal, prepare: () => Promise<ToMeasure>): Promise<void> {
    const { host } = this;
    try {
      const report = signal.aborted ? undefined : await this.report(request, signal, prepare);
      host.post({ type: 'truth', ended: signal.aborted ? 'cancelled' : 'complete', ...(report ? { report } : {}) });
    } catch (error) {
      host.post({ type: 'truth', ended: 'failed', problem: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      for (const stop of this.pending) if (stop.signal === signal) this.pending.delete(stop);
    }
  }

  private async report(request: TruthRequest, signal: AbortSignal, prepare: () => Promise<ToMeasure>) {
    const { host, rest } = this;
    const { trainer, displayed, deviceError } = await prepare();
    if (!host.measureTruth) throw new Error('nothing can be measured here');
    if (!displayed) throw new Error('the group is no longer available: another run began, or too many groups followed');
    const progress: MeasuringHooks['progress'] = async (details) => {
      host.post({ type: 'truth-progress', ...details });
      await rest(signal);
    };
    const report = await host.measureTruth(trainer, displayed, request, { progress, signal, now: () => host.now() });
    const error = deviceError();
    if (error) throw new Error(`the GPU refused a command: ${error}`);
    return report;
  }
}
