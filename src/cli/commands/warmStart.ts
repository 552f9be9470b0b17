import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeCheckpoint } from '../../engine/shared.ts';
import type { BaseClaim } from '../../environments/declaredComparison.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import { warmStartRates } from '../../experiments/claims/comparisonConclusions.ts';
import { inside } from '../../experiments/claims/outcome.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { type StoppedWarmStart, writeStopped } from '../../training/run/warmStart.ts';
import { ALL, trainWarmStart } from '../compare/starts.ts';
import { defineCommand } from '../framework/command.ts';
import {
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
  worldFlag,
} from '../framework/configurationFlags.ts';
import { REPEATABLE_ENGINE, withDevice } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { integerFlag, text } from '../framework/flags.ts';
import { version } from '../framework/installation.ts';
import { show, stoppedWarmStart, warmStartFile } from '../framework/policyFiles.ts';
import { alignedTable, type Terminal } from '../framework/terminal.ts';
import { openWorld } from '../framework/worldRuns.ts';
import { isPlainFile, withOutputs } from '../output/outputs.ts';
import { EVALUATIONS } from './evaluations.ts';

/** Measured rates, by name. */
type Rates = Readonly<Record<string, number>>;

/** Command that trains the policy from which reinforcement learning starts. */
export const warmStartCommand = perEnvironment((tables) => {
  const { name, title, warmStart, measuredBy } = tables.environment;
  const { episodes } = warmStart === 'none' ? { episodes: 0 } : warmStart;
  return defineCommand({
    name: 'warm-start',
    summary: 'make the policy that training starts from, and measure it',
    description:
      'Trains new weights on demonstrations of the environment. Writes the checkpoint, then samples episodes and prints the ' +
      'rates of the policy, in search together with the expected ranges. Without --out it writes the file that `train` and ' +
      'the page look for. Ctrl-C saves the unfinished warm start to a file of the same name plus .part; --resume continues it.',
    flags: {
      environment: ENVIRONMENT,
      engine: REPEATABLE_ENGINE,
      ...worldFlag(tables),
      out: text('FILE', 'Output file (safetensors), instead of the default file.'),
      episodes: EVALUATIONS[measuredBy].episodes(episodes),
      stageSteps: integerFlag('Maximum steps per stage, for trials: a quick but worse policy. Needs --out.', {
        min: 1,
        max: ALL,
        default: ALL,
      }),
      resume: text('FILE', 'Continue a stopped warm start of the same world.'),
      set: setFlag(tables.settings),
    },
    parameters: settingSections(tables),
    examples: [
      '',
      '--knownShare 0.75 --hallucinate 1',
      '--environment repair',
      '--environment repo --bugs one',
      '--stageSteps 20 --out quick.safetensors',
      '--environment repo --resume stopped.safetensors.part',
    ],
    async run({ flags, parameters }, terminal) {
      if (warmStart === 'none') {
        throw new UsageError(`--environment ${name}: ${title} has no warm start; a run begins with initial weights`);
      }
      const configuration = readConfiguration(flags, parameters);
      const { settings } = configuration;
      if (flags.stageSteps < ALL && flags.out === undefined) {
        throw new UsageError('--stageSteps: needs --out, because the default file must be a complete warm start');
      }
      const defaultPath = warmStartFile(settings, name);
      if (flags.out === undefined) mkdirSync(dirname(defaultPath), { recursive: true });
      const file = flags.out ?? defaultPath;
      const metadata = { environment: name, settings: JSON.stringify(settings), version: version() };
      // An output that is not a regular file has no partial file in its folder.
      const requested = { out: file, part: isPlainFile('out', file) ? `${file}.part` : undefined };
      const options = { continues: { part: flags.resume } };
      return withOutputs(terminal, requested, options, async ({ out, part }) => {
        const opened = await openWorld(configuration);
        try {
          const { policy } = opened.world;
          const { stageSteps } = flags;
          // The stored `stageSteps` prevents a shortened warm start from continuing as a complete one.
          const parted = { ...metadata, stageSteps: stageSteps < ALL ? String(stageSteps) : 'all' };
          const from =
            flags.resume === undefined ? undefined : stoppedWarmStart({ policy, metadata: parted }, flags.resume);
          const stopped = async (warmStart: StoppedWarmStart) => {
            if (!part) return;
            const { steps } = opened.environment.warmStart[warmStart.point.stage];
            await part.write(writeStopped(policy, warmStart, parted));
            const how = `stopped at step ${warmStart.state.steps} of ${steps} of stage ${warmStart.point.stage + 1}`;
            terminal.err(`${how}: ${show(part.file)}; --resume ${show(part.file)} continues it\n`);
          };
          opened.warmUp();
          return await withDevice(terminal, flags.engine, async (device) => {
            const trainingOptions = { stageSteps, from, stopped };
            const trainer = await trainWarmStart(device, configuration, opened.environment, terminal, trainingOptions);
            const { parameters: weights } = await trainer.engine.readState();
            await out.write(writeCheckpoint(trainer.engine.config, { parameters: weights }, metadata));
            terminal.err(`written: ${show(out.file)}\n`);
            if (flags.episodes > 0)
              terminal.out(await report(trainer, tables.environment, flags.episodes, configuration, terminal));
            return EXIT.done;
          });
        } finally {
          opened.close();
        }
      });
    },
  });
});

async function report(
  trainer: Trainer,
  { comparison, evaluation, measuredBy, warmStart }: RegisteredEnvironment,
  episodes: number,
  configuration: RunConfiguration,
  terminal: Terminal,
): Promise<string> {
  if (warmStart === 'none') return '';
  trainer.controls = { ...trainer.controls, ...evaluation };
  const { amount, measure } = EVALUATIONS[measuredBy];
  const measured = await measure(trainer, warmStart.split, amount(episodes), terminal);
  if (!measured) throw new Interrupted();
  const declared = (await comparison?.())?.comparison;
  const { rates, changed } = warmStartRates(declared?.warmStarts, configuration);
  return rates.length === 0 ? measured.text : baseReport(rates, measured.values as Rates, changed);
}

/**
 * Formats measured rates next to the ranges of the standard world.
 * @param setting a setting that differs from the standard world
 */
function baseReport(claims: readonly BaseClaim[], measured: Rates, setting: string | undefined): string {
  const rows = claims.map((claim) => {
    const value = measured[claim.rate] ?? Number.NaN;
    const result = setting ? '' : inside(claim, value) ? 'in the range' : 'outside';
    return [
      claim.label,
      Number.isFinite(value) ? value.toFixed(3) : '-',
      `${claim.from.toFixed(2)} to ${claim.to.toFixed(2)}`,
      result,
    ];
  });
  const note = setting ? `\nThe ranges apply to the standard world; ${setting} differs in this world.` : '';
  return `${alignedTable([`${measured.episodes} training episodes`, 'measured', 'standard', ''], rows)}${note}\n`;
}
