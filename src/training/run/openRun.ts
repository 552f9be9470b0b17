import type { EngineDevice } from '../../engine/engine.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import type { RunEvent, SavedRun, WarmStartProgress } from '../data/protocol.ts';
import { type EnvironmentHost, openEnvironment } from './openEnvironment.ts';
import { type CreateTrainer, Run } from './run.ts';
import { Trainer } from './trainer.ts';

/** Number of updates that a run in a worker holds. The page receives and stores each update. */
const MAX_METRICS = 32;

/** Host that opens runs. */
export interface RunHost extends EnvironmentHost {
  /** The shipped warm start of a world; undefined where none is shipped and it has to be made. */
  loadWarmStart(configuration: RunConfiguration): Promise<ArrayBuffer | undefined>;
}

/** Options for the start of a run. */
export interface OpenRunOptions {
  readonly saved?: SavedRun | undefined;
  /** The warm start is made here, also where one is shipped. */
  readonly warm: boolean;
  /** Called when a warm start is made here, and then with its progress; an error that it throws ends the warm start. */
  readonly warming: (progress?: WarmStartProgress) => void | Promise<void>;
}

/**
 * Opens a device before the run is known, and lets the device compile the kernels that every run needs.
 * @returns undefined if this fails: the start of the run tries again, and reports the error
 */
async function openAhead(open: () => Promise<EngineDevice>): Promise<EngineDevice | undefined> {
  const device = await open().catch(() => undefined);
  device?.compileAhead().catch(() => {});
  return device;
}

/** Creates, resumes and starts the runs of a session. */
export interface RunFactory {
  readonly openAhead: typeof openAhead;
  /** Creates a run on a device, without parameters. */
  openRun(
    device: EngineDevice,
    configuration: RunConfiguration,
    host: EnvironmentHost,
    onEvent: (event: RunEvent) => void,
  ): Promise<Run>;
  /** Creates a run that starts from a saved one, from the shipped warm start, or from a warm start made here. */
  beginRun(
    device: EngineDevice,
    configuration: RunConfiguration,
    host: RunHost,
    onEvent: (event: RunEvent) => void,
    start: OpenRunOptions,
  ): Promise<Run>;
}

/** Returns the run maker of a session. @param createTrainer creates the trainer of each run; tests pass a scripted one */
export function createRunFactory(createTrainer: CreateTrainer = Trainer.create): Omit<RunFactory, 'openAhead'> {
  const openRun: RunFactory['openRun'] = (device, configuration, host, onEvent) =>
    Run.create(device, configuration, onEvent, openEnvironment(configuration, host), MAX_METRICS, createTrainer);
  return {
    openRun,
    async beginRun(device, configuration, host, onEvent, { saved, warm, warming }) {
      // It comes while the kernels are compiled.
      const loading = warm || saved ? undefined : host.loadWarmStart(configuration);
      loading?.catch(() => {});
      const run = await openRun(device, configuration, host, onEvent);
      try {
        const shipped = await loading;
        if (saved) run.resume(saved);
        else if (shipped) run.begin(shipped);
        else {
          // An environment without stages starts with initial weights, which takes no time.
          if (run.trainer.environment.warmStart.length > 0) await warming();
          await run.trainer.warmStart(configuration.settings.warmSeed as number, warming);
        }
        return run;
      } catch (error) {
        run.destroy();
        throw error;
      }
    },
  };
}

/** The run maker of the product. */
export const RUNS: RunFactory = { openAhead, ...createRunFactory() };
