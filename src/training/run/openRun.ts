import type { EngineDevice } from '../../engine/engine.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import type { RunEvent, SavedRun, WarmStartProgress } from '../data/protocol.ts';
import { type EnvironmentHost, openEnvironment } from './openEnvironment.ts';
import { type CreateTrainer, Run } from './run.ts';
import { Trainer } from './trainer.ts';

/** Minimum number of newest updates that a run in a worker retains. The page receives and stores each update. */
const MAX_METRICS = 32;

/** Host that opens runs. */
export interface RunHost extends EnvironmentHost {
  /** Loads the shipped warm start of a world; undefined if none is shipped and it must be trained. */
  loadWarmStart(configuration: RunConfiguration): Promise<ArrayBuffer | undefined>;
}

/** Options for the start of a run. */
export interface OpenRunOptions {
  readonly saved?: SavedRun | undefined;
  /** True to train the warm start on this device even if one is shipped. */
  readonly warm: boolean;
  /** Called at the start of a warm start, and then with its progress. An error that it throws ends the warm start. */
  readonly warming: (progress?: WarmStartProgress) => void | Promise<void>;
}

/** Factory of the runs of a session. */
export interface RunFactory {
  /** Creates a run on a device, without parameters. */
  openRun(
    device: EngineDevice,
    configuration: RunConfiguration,
    host: EnvironmentHost,
    onEvent: (event: RunEvent) => void,
  ): Promise<Run>;
  /** Creates a run from a saved run, from the shipped warm start, or from a warm start that is trained here. */
  beginRun(
    device: EngineDevice,
    configuration: RunConfiguration,
    host: RunHost,
    onEvent: (event: RunEvent) => void,
    start: OpenRunOptions,
  ): Promise<Run>;
}

/** Returns a factory of runs. @param createTrainer creates the trainer of each run; tests pass a scripted one */
export function createRunFactory(createTrainer: CreateTrainer = Trainer.create): RunFactory {
  const openRun: RunFactory['openRun'] = (device, configuration, host, onEvent) =>
    Run.create(device, configuration, onEvent, openEnvironment(configuration, host), MAX_METRICS, createTrainer);
  return {
    openRun,
    async beginRun(device, configuration, host, onEvent, { saved, warm, warming }) {
      // The warm start loads while the kernels are compiled.
      const loading = warm || saved ? undefined : host.loadWarmStart(configuration);
      loading?.catch(() => {});
      const run = await openRun(device, configuration, host, onEvent);
      try {
        const shipped = await loading;
        if (saved) run.resume(saved);
        else if (shipped) run.begin(shipped);
        else {
          // An environment without stages starts with initial weights, so there is no progress to report.
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

/** Default factory of runs. */
export const RUNS = createRunFactory();
