import type { AnyEnvironment, Timing, WarmStartStage } from '../../environments/environment.ts';
import type { Gpu } from '../../gpu/device.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { defaultConfiguration } from '../../training/data/configurationTables.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { Interrupted } from './errors.ts';
import { Progress, type Terminal } from './terminal.ts';

/** No limit to the steps of a stage. */
export const ALL = 1_000_000;

/**
 * Makes a warm start with progress on the terminal; the trainer then stands at step 0 with it.
 * @param whole the configuration's environment
 * @param stageSteps most steps of a stage
 * @throws {Interrupted} after Ctrl-C
 */
export async function makeWarmStart(
  gpu: Gpu,
  { environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>,
  whole: AnyEnvironment,
  terminal: Terminal,
  stageSteps = ALL,
): Promise<Trainer> {
  const warmStart = whole.warmStart.map((stage) => atMost(stage, stageSteps));
  const seed = settings.warmSeed as number;
  const { controls } = defaultConfiguration(environment);
  const trainer = await Trainer.create(gpu, { ...whole, warmStart }, seed, controls);
  const steps = warmStart.reduce((sum, stage) => sum + stage.steps, 0);
  let progress = new Progress(terminal, steps);
  try {
    await trainer.warmStart(seed, ({ stage, loss, left, missed }) => {
      if (terminal.signal.aborted) throw new Interrupted();
      if (missed && left === steps - 1) {
        progress.say(`the policy never ${missed}; the warm start begins again`);
        progress = new Progress(terminal, steps);
      }
      progress.advance(stage, `loss ${loss.toFixed(3)}`);
    });
  } finally {
    progress.close();
  }
  return trainer;
}

/** A stage of so many steps at most. One that is cut short is not asked what it taught. */
function atMost<Stage extends WarmStartStage<Timing>>(stage: Stage, steps: number): Stage {
  if (stage.steps <= steps) return stage;
  const { lesson: _, ...rest } = stage;
  return { ...rest, steps } as Stage;
}
