import type { ParameterValues } from '../../parameters/parameters.ts';
import type { SampledBatch } from '../collect/collector.ts';
import type { TruthMessage, TruthReport, TruthRequest } from '../data/truthReport.ts';
import type { Measurer } from '../run/measurer.ts';
import type { LiveRunHost } from './liveRun.ts';

/** Group that the page displays. */
export interface DisplayedGroup {
  readonly batch: SampledBatch;
  readonly group: number;
  /** Controls under which the batch was sampled. */
  readonly controls: ParameterValues;
  readonly sampleOnly: boolean;
}

/** Members of a measurer that a measurement of true advantages needs. */
export type TruthMeasurer = Omit<Measurer, 'sample' | 'evaluate' | 'judge'>;

/** Functions that observe and stop a measurement. */
export interface MeasuringHooks {
  /** Reports progress after each batch. The next batch starts when the promise resolves. */
  progress(progress: Omit<Extract<TruthMessage, { type: 'truth-progress' }>, 'type'>): Promise<void>;
  /** Signal that stops the measurement between batches. */
  readonly signal: AbortSignal;
  now(): number;
}

/**
 * Function that measures a group (src/experiments/truth/measureSelected.ts). Returns undefined if the measurement was
 * stopped before a result was complete.
 */
export type MeasureTruth = (
  measurer: TruthMeasurer,
  displayed: DisplayedGroup,
  request: TruthRequest,
  hooks: MeasuringHooks,
) => Promise<TruthReport | undefined>;

/** Functions that a session provides for a measurement. */
export interface MeasuringHost {
  /** Measures a group; absent if measurements are not available. */
  readonly measureTruth?: MeasureTruth;
  post(message: TruthMessage): void;
  now(): number;
}

/** Group to measure, and the measurer that measures it. */
export interface ToMeasure {
  readonly measurer: TruthMeasurer;
  /** Group to measure; undefined if it is no longer retained. */
  readonly displayed: DisplayedGroup | undefined;
  /** Returns the error of a command that the GPU has rejected since the last call, if any. */
  deviceError(): string | undefined;
}

/** Measurements that the page requests. */
export class Measuring {
  /** Cancels all requested measurements, including those that have not started. */
  private stop = new AbortController();

  /** @param rest waits while the tab is hidden, unless the signal is aborted */
  constructor(
    private readonly host: MeasuringHost,
    private readonly rest: (signal: AbortSignal) => Promise<void>,
  ) {}

  /**
   * Registers a requested measurement, which can start later. Returns a signal that is aborted when the measurement is
   * cancelled.
   */
  start(): AbortSignal {
    return this.stop.signal;
  }

  /** Stops the current measurement, and cancels all pending measurements. */
  cancel(): void {
    this.stop.abort();
    this.stop = new AbortController();
  }

  /**
   * Measures a group and sends the result to the page.
   * @param signal result of `start`
   * @param prepare called when the measurement begins; returns the group and the measurer
   * @throws the error of the measurement, after it was sent to the page
   */
  async measure(request: TruthRequest, signal: AbortSignal, prepare: () => Promise<ToMeasure>): Promise<void> {
    const { host } = this;
    try {
      const report = signal.aborted ? undefined : await this.report(request, signal, prepare);
      host.post({ type: 'truth', ended: signal.aborted ? 'cancelled' : 'complete', ...(report ? { report } : {}) });
    } catch (error) {
      host.post({ type: 'truth', ended: 'failed', problem: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  private async report(request: TruthRequest, signal: AbortSignal, prepare: () => Promise<ToMeasure>) {
    const { host, rest } = this;
    const { measurer, displayed, deviceError } = await prepare();
    if (!host.measureTruth) throw new Error('nothing can be measured here');
    if (!displayed) throw new Error('the group is no longer available: another run began, or too many groups followed');
    const progress: MeasuringHooks['progress'] = async (details) => {
      host.post({ type: 'truth-progress', ...details });
      await rest(signal);
    };
    const report = await host.measureTruth(measurer, displayed, request, { progress, signal, now: () => host.now() });
    const error = deviceError();
    if (error) throw new Error(`the GPU refused a command: ${error}`);
    return report;
  }
}

/** Functions of the host of all sessions of a worker. */
export interface SessionHost extends Omit<LiveRunHost, 'closeDevice'>, MeasuringHost {
  post: LiveRunHost['post'];
}

/** Functions that one session needs: those of the host, and those of what the sessions share. */
export interface LaneHost extends SessionHost {
  closeDevice: LiveRunHost['closeDevice'];
  /** Runs an update when it is the turn of this session. */
  turn<Result>(work: () => Promise<Result>): Promise<Result>;
}
