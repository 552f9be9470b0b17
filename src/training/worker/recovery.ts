import { CreditError } from '../../credit/creditError.ts';
import { CustomRuleError } from '../../customRules/results.ts';
import type { EngineDevice } from '../../engine/engine.ts';
import { CheckpointError, NoEngineError } from '../../engine/shared.ts';
import { ParameterError } from '../../parameters/parameters.ts';
import { TooLargeError } from '../collect/batch.ts';
import { type EngineName, isExact } from '../data/configuration.ts';
import type { Problem } from '../data/protocol.ts';
import { RewardModelError } from '../rewardModel/rewardModelFile.ts';
import { NotLoadedError } from '../run/openEnvironment.ts';
import { NonFiniteError } from '../run/run.ts';
import { WarmStartError } from '../run/warmStart.ts';

/** Functions of the host with which a session opens devices. */
export interface DeviceHost {
  /** Opens a device for an engine, or for the best engine. @throws {NoEngineError} if no engine is available */
  openDevice(engine?: EngineName): Promise<EngineDevice>;
  /** Releases a device, and destroys it unless other runs use it. */
  closeDevice(device: EngineDevice): void;
  /** Waits between attempts to open a lost device again. */
  sleep(milliseconds: number): Promise<void>;
}

/** Maximum number of consecutive recoveries of a lost device without progress. The run then stops. */
const MAX_RECOVERIES = 3;
/** Wait before the second attempt to open a device [ms]; twice as long before the third. */
const RECOVERY_MS = 500;
/**
 * Maximum wait for the `lost` promise of a device after an error [ms]. Browsers settle `lost` and pending work in
 * different tasks, without a fixed order. If the device is not lost, the handling of an error is delayed by this time.
 */
const NEWS_MS = 100;
/**
 * Maximum wait for `lost` after a DOMException [ms], for example from reading back a lost device. On a busy machine,
 * `lost` is late.
 */
const LATE_NEWS_MS = 3000;

/** Error for a lost device that could not be opened again. */
class DeviceLostError extends Error {
  constructor(reason: unknown) {
    const why = reason === undefined ? '' : ` (${reason instanceof Error ? reason.message : String(reason)})`;
    super(`The GPU device was lost and could not be brought back in ${MAX_RECOVERIES} tries${why}.`);
    this.name = 'DeviceLostError';
  }
}

/** Device of a session. It is opened on request, and opened again after a loss, up to a limit. */
export class Recovery {
  private open: EngineDevice | undefined;
  private tries = 0;
  /** Largest number of updates of the run whose metrics arrived. */
  private furthest = 0;

  /** @param lost called for each lost device, also for a device that was released */
  constructor(
    private readonly host: DeviceHost,
    private readonly lost: (device: EngineDevice) => void,
  ) {}

  /** Open device; undefined if no device is open. */
  get current(): EngineDevice | undefined {
    return this.open;
  }

  /**
   * Returns the device of an engine, and opens it if necessary.
   * @param engine name of the engine; by default that of the open device
   * @throws {NoEngineError} if no engine is available
   */
  async device(engine?: EngineName): Promise<EngineDevice> {
    if (this.open && engine !== undefined && isExact(this.open.engine) !== isExact(engine)) this.drop();
    if (!this.open) this.open = await this.opened(engine);
    return this.open;
  }

  /**
   * Opens the device before the run is known, and starts to compile the kernels that each run needs. If this fails, the
   * start of the run opens the device again and reports the error.
   */
  async ahead(engine?: EngineName): Promise<void> {
    if (this.open) return;
    this.open = await this.opened(engine).catch(() => undefined);
    this.open?.compileAhead().catch(() => {});
  }

  /**
   * Returns true if the device is lost, which is a possible cause of failed work.
   * @param error error of the work
   */
  async isLost(error: unknown): Promise<boolean> {
    if (!this.open) return false;
    const news = this.open.lost.then(() => true);
    return Promise.race([
      news,
      this.host.sleep(error instanceof DOMException ? LATE_NEWS_MS : NEWS_MS).then(() => false),
    ]);
  }

  /** Releases the device. The next device is opened on request. */
  drop(): void {
    const { open } = this;
    this.open = undefined;
    if (open) this.host.closeDevice(open);
  }

  /** Resets the count of recoveries at the start of a run. */
  begin(): void {
    this.tries = 0;
    this.furthest = 0;
  }

  /**
   * Records that the metrics of an update arrived. Progress beyond all earlier updates resets the count of recoveries;
   * a device that always fails at the same update does not reset it.
   * @param done number of finished updates, including this update
   */
  arrived(done: number): void {
    if (done <= this.furthest) return;
    this.furthest = done;
    this.tries = 0;
  }

  /**
   * Releases the lost device, and waits before the next attempt.
   * @param reason error of the last attempt
   * @throws {DeviceLostError} if the maximum number of recoveries is reached
   */
  async next(reason?: unknown): Promise<void> {
    this.drop();
    if (this.tries === MAX_RECOVERIES) throw new DeviceLostError(reason);
    await this.host.sleep(RECOVERY_MS * this.tries++);
  }

  private async opened(engine?: EngineName): Promise<EngineDevice> {
    const device = await this.host.openDevice(engine);
    device.lost.then(() => this.lost(device));
    return device;
  }
}

/** Error of work that was cancelled by a newer request. It is not reported. */
export class Superseded extends Error {}

type ErrorDescription = Pick<Problem, 'kind' | 'message' | 'recovery'>;

/**
 * Returns true if a custom rule, a reward model or a layout failed before an update. The run is unchanged and paused.
 */
export function isRuleFault(error: unknown): error is Error {
  if (error instanceof RewardModelError || error instanceof TooLargeError) return true;
  return error instanceof CustomRuleError || (error instanceof CreditError && error.name === 'CreditError');
}

/**
 * Converts an error to the form of a problem message.
 * @param isSaved true if the run has a checkpoint
 */
export function problemOf(error: unknown, isSaved: boolean): ErrorDescription {
  const message = error instanceof Error ? error.message : String(error);
  const back = isSaved ? 'last-checkpoint' : 'none';
  if (isRuleFault(error)) {
    return { kind: 'rule', message: `Paused before the update, and nothing is lost: ${message}.`, recovery: 'none' };
  }
  if (error instanceof NoEngineError) return { kind: 'no-engine', message, recovery: 'none' };
  if (error instanceof DeviceLostError) return { kind: 'device-lost', message, recovery: back };
  if (error instanceof CheckpointError) return { kind: 'checkpoint', message, recovery: 'none' };
  if (error instanceof ParameterError) return { kind: 'configuration', message, recovery: 'none' };
  if (error instanceof WarmStartError) {
    return { kind: 'configuration', message: `${capitalised(message)}.`, recovery: 'none' };
  }
  if (error instanceof NotLoadedError)
    return { kind: 'not-loaded', message: notLoaded(message), recovery: 'last-checkpoint' };
  if (error instanceof NonFiniteError) {
    return { kind: 'non-finite', message: `Training stopped: ${message}.`, recovery: back };
  }
  return { kind: 'internal', message, recovery: back };
}

function notLoaded(subject: string): string {
  return `${capitalised(subject)}. Is this device online? Nothing is lost: saved runs stay saved. Try again when the network is back.`;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
