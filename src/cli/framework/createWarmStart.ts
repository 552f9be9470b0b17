import type { EngineDevice } from '../../engine/engine.ts';
import type { AnyEnvironment, Timing, WarmStartStage } from '../../environments/environment.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { defaultConfiguration } from '../../training/data/configurationTables.ts';
import type { WarmStartProgress } from '../../training/data/protocol.ts';
import type { StoppedWarmStart, WarmStartPoint } from '../../training/run/stoppedWarmStart.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { Interrupted } from './errors.ts';
import { Progress, type Terminal } from './terminal.ts';

interface WarmStartOptions {
  readonly stageSteps?: number;
  readonly from?: StoppedWarmStart | undefined;
  readonly stopped?: (warmStart: StoppedWarmStart) => Promise<void>;
}

/** Step limit that no stage reaches. */
export const ALL = 1_000_000;

/**
 * Trains a warm start with progress on the terminal. Afterwards the trainer is at step 0 with the warm start.
 * @param fullEnvironment the configuration's environment
 * @param stageSteps maximum number of steps per stage
 * @param from a stopped warm start, which this call continues
 * @param stopped receives the unfinished warm start after Ctrl-C, if at least one step is done
 * @throws {Interrupted} after Ctrl-C
 */
export async function trainWarmStart(
  device: EngineDevice,
  { environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>,
  fullEnvironment: AnyEnvironment,
  terminal: Terminal,
  { stageSteps = ALL, from, stopped }: WarmStartOptions = {},
): Promise<Trainer> {
  const warmStart = fullEnvironment.warmStart.map((stage) => limitSteps(stage, stageSteps));
  const seed = settings.warmSeed as number;
  const { controls } = defaultConfiguration(environment);
  const trainer = await Trainer.create(device, { ...fullEnvironment, warmStart }, seed, controls);
  const steps = warmStart.reduce((sum, stage) => sum + stage.steps, 0);
  if (from) trainer.load(from.state, 0);
  const before = warmStart.slice(0, from?.point.stage).reduce((sum, stage) => sum + stage.steps, 0);
  let progress = new Progress(terminal, steps, from ? before + from.state.steps : 0);
  let at: WarmStartPoint | undefined;
  const reportProgress = async ({ stage, loss, left, missed }: WarmStartProgress, point: WarmStartPoint) => {
    at = point;
    if (terminal.signal.aborted) throw new Interrupted();
    if (missed && left === steps - 1) {
      progress.write(`the policy never ${missed}; the warm start starts again`);
      progress = new Progress(terminal, steps);
    }
    progress.advance(stage, `loss ${loss.toFixed(3)}`);
  };
  try {
    await trainer.warmStart(seed, reportProgress, from?.point);
  } catch (error) {
    if (error instanceof Interrupted && at && stopped)
      await stopped({ point: at, state: await trainer.engine.readState() });
    throw error;
  } finally {
    progress.close();
  }
  return trainer;
}

/**
 * Limits the steps of a stage. A shortened stage has no `lesson`, because it is too short to teach the tested skill.
 */
function limitSteps<Stage extends WarmStartStage<Timing>>(stage: Stage, steps: number): Stage {
  if (stage.steps <= steps) return stage;
  const { lesson: _, ...rest } = stage;
  return { ...rest, steps } as Stage;
}
