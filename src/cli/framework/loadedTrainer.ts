import type { AnyEnvironment, CustomTasks } from '../../environments/environment.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { type EngineChoice, withDevice } from './device.ts';
import { openWorld } from './openWorld.ts';
import { loadStart } from './policyFiles.ts';
import type { Terminal } from './terminal.ts';

/** Request for a trainer with a policy that a command inspects. */
interface Requested {
  /** Value of `--checkpoint`. If absent, the warm start of the world. */
  readonly checkpoint: string | undefined;
  /** Value of `--engine`. */
  readonly engine: EngineChoice | undefined;
  /** Tasks that replace the shipped tasks. */
  readonly customTasks?: CustomTasks | undefined;
  /** Check of the required properties of the environment. It runs before files are read and the device is opened. */
  readonly check?: (environment: AnyEnvironment) => void;
  /** Capacity of one batch. If absent, the capacity of the environment. */
  readonly capacity?: RegisteredEnvironment['capacity'];
}

/**
 * Opens the world of a configuration and a device, calls `act` with a trainer that has the policy, and closes the
 * world.
 * @param act receives the trainer and the name of the policy's file
 * @throws {UsageError} if the policy does not exist or its shape does not match
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
