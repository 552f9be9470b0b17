import type { AnyEnvironment, CustomTasks } from '../../environments/environment.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { type EngineChoice, withDevice } from './device.ts';
import { openWorld } from './openWorld.ts';
import { loadStart } from './policyFiles.ts';
import type { Terminal } from './terminal.ts';

/** A policy to be looked at. */
interface Requested {
  /** --checkpoint; the warm start of the world without it. */
  readonly checkpoint: string | undefined;
  /** --engine. */
  readonly engine: EngineChoice | undefined;
  /** Tasks in place of the shipped ones. */
  readonly customTasks?: CustomTasks | undefined;
  /** Check of the abilities that the environment must have. It runs before files are read and the device is opened. */
  readonly check?: (environment: AnyEnvironment) => void;
  /** Of one batch, where the environment's is not wanted. */
  readonly capacity?: RegisteredEnvironment['capacity'];
}

/**
 * Opens the world of a configuration and a device, and passes a trainer that holds the policy to `act`; closes the
 * world.
 * @param act gets the name of the policy's file too
 * @throws {UsageError} if there is no policy, or if it does not fit
 */
export async function withTrainer<Result>(
  terminal: Terminal,
  configuration: RunConfiguration,
  { checkpoint, engine, customTasks, check, capacity }: Requested,
  act: (trainer: Trainer, file: string) => Promise<Result>,
): Promise<Result> {
  const opened = await openWorld(configuration, customTasks);
  try {
    check?.(opened.environment);
    const { state, file } = loadStart(opened.world, checkpoint);
    opened.warmUp();
    return await withDevice(terminal, engine, async (device) => {
      const { seed, controls } = configuration;
      const trainer = await Trainer.create(device, opened.environment, seed, controls, capacity, opened);
      trainer.load(state, 0);
      return act(trainer, file);
    });
  } finally {
    opened.close();
  }
}
