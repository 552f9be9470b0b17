import { createSearchEnvironment } from '../environments/search/environment.ts';
import { BASE_CLAIMS, inside } from '../experiments/claims.ts';
import { evaluate, type Rates } from '../experiments/rates.ts';
import type { Gpu } from '../gpu/device.ts';
import type { ParameterValues } from '../parameters/parameters.ts';
import { writeCheckpoint } from '../policy/checkpoint.ts';
import { defaultConfiguration, SETTINGS } from '../training/tables.ts';
import { Trainer } from '../training/trainer.ts';
import { defineCommand } from './command.ts';
import { readConfiguration, SETTING_SECTIONS, setFlag } from './configurationFlags.ts';
import { withGpu } from './device.ts';
import { EXIT, Interrupted, UsageError } from './errors.ts';
import { checkOutput, show, warmStartFile, writeWhole } from './files.ts';
import { text, whole } from './flags.ts';
import { Progress, type Terminal } from './terminal.ts';
import { alignedTable } from './text.ts';
import { version } from './version.ts';

/** No limit to the steps of a stage. */
const ALL = 1_000_000;

/** Makes the policy that reinforcement learning starts from. */
export const warmStartCommand = defineCommand({
  name: 'warm-start',
  summary: 'make the policy that training starts from, and measure it',
  description:
    'Trains fresh weights on demonstrations: first clean skills, then noisy episodes of the world. Writes the ' +
    'checkpoint, then plays training questions and prints what the policy does beside what it should do. Without ' +
    '--out it writes the file that `train` and the page look for.',
  flags: {
    out: text('FILE', 'Where the checkpoint (safetensors) goes instead.'),
    episodes: whole('Episodes to measure the policy on; 0 skips the measurement.', {
      min: 0,
      max: 100_000,
      default: 1024,
    }),
    stageSteps: whole('Most steps of a stage: a quick and worse policy, for trying things out. Needs --out.', {
      min: 1,
      max: ALL,
      default: ALL,
    }),
    set: setFlag(SETTINGS),
  },
  parameters: SETTING_SECTIONS,
  examples: ['', '--knownShare 0.75 --hallucinate 1', '--stageSteps 20 --out quick.safetensors'],
  async run({ flags, parameters }, terminal) {
    const { settings } = readConfiguration(flags, parameters);
    if (flags.stageSteps < ALL && flags.out === undefined) {
      throw new UsageError('--stageSteps: needs --out, so that no quick policy passes for the real one');
    }
    checkOutput('out', flags.out);
    const file = flags.out ?? warmStartFile(settings);
    return withGpu(terminal, async (gpu) => {
      const trainer = await makeWarmStart(gpu, settings, terminal, flags.stageSteps);
      const metadata = { environment: 'search', settings: JSON.stringify(settings), version: version() };
      const { parameters: weights } = await trainer.policy.readState();
      writeWhole(file, writeCheckpoint(trainer.policy.config, { parameters: weights }, metadata));
      terminal.err(`written: ${show(file)}\n`);
      if (flags.episodes > 0) {
        const measured = await evaluate(trainer, flags.episodes, 'train', terminal.signal);
        if (terminal.signal.aborted) throw new Interrupted();
        terminal.out(baseReport(measured, settings));
      }
      return EXIT.done;
    });
  },
});

/**
 * Makes a warm start with progress on the terminal; the trainer then stands at step 0 with it.
 * @param stageSteps most steps of a stage
 * @throws {Interrupted} after Ctrl-C
 */
export async function makeWarmStart(
  gpu: Gpu,
  settings: ParameterValues,
  terminal: Terminal,
  stageSteps = ALL,
): Promise<Trainer> {
  const whole = createSearchEnvironment(settings);
  const warmStart = whole.warmStart.map((stage) => ({ ...stage, steps: Math.min(stage.steps, stageSteps) }));
  const seed = settings.warmSeed as number;
  const trainer = await Trainer.create(gpu, { ...whole, warmStart }, seed, defaultConfiguration().controls);
  const progress = new Progress(
    terminal,
    warmStart.reduce((sum, { steps }) => sum + steps, 0),
  );
  try {
    await trainer.warmStart(seed, ({ stage, loss }) => {
      if (terminal.signal.aborted) throw new Interrupted();
      progress.advance(stage, `loss ${loss.toFixed(3)}`);
    });
  } finally {
    progress.close();
  }
  return trainer;
}

/** Measured rates beside those of the standard world. */
export function baseReport(measured: Rates, settings: ParameterValues): string {
  const other = SETTINGS.find(({ name, default: standard }) => name !== 'warmSeed' && settings[name] !== standard);
  const rows = BASE_CLAIMS.map((claim) => {
    const value = measured[claim.rate];
    const verdict = other ? '' : inside(claim, value) ? 'as it should be' : 'outside';
    return [
      claim.label,
      Number.isFinite(value) ? value.toFixed(3) : '-',
      `${claim.from.toFixed(2)} to ${claim.to.toFixed(2)}`,
      verdict,
    ];
  });
  const note = other ? `\nThe ranges are those of the standard world; ${other.name} differs here.` : '';
  return `${alignedTable([`${measured.episodes} training episodes`, 'measured', 'standard', ''], rows)}${note}\n`;
}
