import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { EngineDevice } from '../../engine/engine.ts';
import { DEFAULT_ENVIRONMENT, ENVIRONMENTS } from '../../environments/registry.ts';
import { oneWorld } from '../../experiments/compare/arms.ts';
import { drive } from '../../experiments/drive.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { firstUntied } from '../../rollouts/endings.ts';
import { type RecordedRun, type Recording, writeRecording } from '../../storage/recordingFile.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { checkConfiguration, type RunTables, SEED } from '../../training/data/configurationTables.ts';
import { type GroupView, type Metrics, MOST_LANES, type RunEvent } from '../../training/data/protocol.ts';
import { RECORDED, runsOf } from '../../training/data/recorded.ts';
import { Run } from '../../training/run/run.ts';
import { groupView } from '../../training/worker/groupViews.ts';
import { armsFlag, readArm } from '../compare/armsFlag.ts';
import { defineCommand } from '../framework/command.ts';
import {
  atFlag,
  type ConfigurationFlags,
  controlSections,
  PRESET,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
} from '../framework/configurationFlags.ts';
import { withDevice } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { type Flag, number, text, toggle, whole } from '../framework/flags.ts';
import { openWorld } from '../framework/openWorld.ts';
import { filesRead, loadStart, show } from '../framework/policyFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { type Output, withOutputs } from '../output/outputs.ts';
import { progressNote } from './train.ts';

/** Where the page looks for its recordings. */
const FOLDER = 'public/recordings';
/** Updates after which a preset has shown what there is to see, where that is not its environment's number. */
const STEPS_OF: Readonly<Record<string, number>> = {
  ...{ toggle: 130, 'forgetting-kl': 155, 'over-searching': 95, 'switch-early': 80, 'reward-model': 100 },
};

const STEPS_FLAG = whole('Updates; without it, as many as the preset needs to show what it is about.', {
  min: 1,
  max: 10_000,
  default: ENVIRONMENTS[DEFAULT_ENVIRONMENT].recordedSteps,
});

/** Records runs for a page without WebGPU: their curves, what happened, and some of their groups. */
export const recordCommand = perEnvironment((tables) =>
  defineCommand({
    name: 'record',
    summary: 'record a run for the page to replay where there is no WebGPU',
    description:
      'Trains like `train` and writes what the page plays back: the metrics and events of every step, and a group of ' +
      'rollouts every few steps and around events. With --rules one recording holds several runs, which the page shows beside ' +
      'one another. With --out the file is packed (gzip), without it JSON. A recorded run has no weights and cannot be ' +
      `continued. The page plays those in ${FOLDER}, one a preset, and those of presets beside one another.`,
    flags: {
      preset: PRESET,
      all: toggle('Records everything that the page plays, each into a file of its name, as soon as it is done.'),
      rules: rulesFlag(tables),
      seed: number(SEED),
      steps: { ...STEPS_FLAG, fallback: undefined } as Flag<number | undefined>,
      groupEvery: whole('Updates from one recorded group to the next.', { min: 1, max: 10_000, default: 5 }),
      out: text('FILE', `Where the recording goes; with --all a folder, ${FOLDER} without it.`),
      at: atFlag(tables),
      set: setFlag([...tables.settings, ...tables.controls]),
      checkpoint: text('FILE', 'Start from this checkpoint instead of the warm start of the world.'),
    },
    parameters: [...controlSections(tables), ...settingSections(tables)],
    examples: [
      '--preset toggle --out public/recordings/toggle.recording',
      '--preset mt-grpo --rules mt-grpo,grpo-or --out public/recordings/mt-grpo-grpo-or.recording',
      '--all',
    ],
    async run({ flags, parameters }, terminal) {
      const { all, checkpoint, groupEvery, steps } = flags;
      const planned = all ? everything(flags, parameters) : [asked(flags, parameters, tables)];
      const files = Object.fromEntries(planned.map(({ name, out }) => [name, out]));
      const read = planned.map(({ runs: [{ settings, environment }] }) =>
        filesRead({ checkpoint }, settings, environment),
      );
      const options = { inputs: read.flat(), flag: 'out' };
      return withOutputs(terminal, files, options, async (outputs) => {
        await withDevice(terminal, undefined, async (device) => {
          for (const { name, runs } of planned) {
            const [{ environment }] = runs;
            const updates = steps ?? STEPS_OF[name] ?? ENVIRONMENTS[environment].recordedSteps;
            if (all) terminal.err(`${name}\n`);
            const recorded: RecordedRun[] = [];
            for (const configuration of runs) {
              if (runs.length > 1) terminal.err(`run ${recorded.length + 1}: ${configuration.controls.rule}\n`);
              recorded.push(await record(device, configuration, { steps: updates, groupEvery, checkpoint }, terminal));
            }
            await write(recorded as [RecordedRun, ...RecordedRun[]], outputs[name], terminal);
          }
        });
        return EXIT.done;
      });
    },
  }),
);

/** A recording to be made. */
interface Planned {
  readonly name: string;
  readonly runs: readonly [RunConfiguration, ...RunConfiguration[]];
  readonly out: string | undefined;
}

/** What a command line says about recordings. */
interface RecordFlags extends Required<Pick<ConfigurationFlags, 'preset' | 'seed' | 'set' | 'at'>> {
  readonly rules: readonly string[];
  readonly checkpoint: string | undefined;
  readonly out: string | undefined;
}

/** Arms of a comparison, as runs of one recording. */
function rulesFlag(tables: RunTables): Flag<readonly string[]> {
  const flag = armsFlag(oneWorld(tables), []);
  const help = `Several runs in one recording, at most ${MOST_LANES}, which differ in this alone. ${flag.help}`;
  return { ...flag, help };
}

/** @throws {UsageError} where a flag says that something is to be recorded otherwise than it is */
function everything(
  { rules, checkpoint, set, at, seed, out = FOLDER }: RecordFlags,
  parameters: ParameterValues,
): readonly Planned[] {
  const given = {
    checkpoint: checkpoint !== undefined,
    rules: rules.length > 0,
    set: set.length > 0,
    at: at.length > 0,
  };
  const own = Object.entries(given).flatMap(([name, there]) => (there ? [name] : []));
  const [other] = [...own, ...Object.keys(parameters)];
  if (other) throw new UsageError(`--${other} does not go with --all: presets are recorded as they are`);
  return RECORDED.map((recorded) => {
    const [first, ...others] = runsOf(recorded).map((run) => ({ ...run, seed }));
    return { name: recorded.name, runs: [first, ...others], out: join(out, `${recorded.name}.recording`) };
  });
}

/** @throws {UsageError} where there are more runs than a page plays */
function asked(
  { preset, seed, set, at, rules, out }: RecordFlags,
  parameters: ParameterValues,
  tables: RunTables,
): Planned {
  const base = readConfiguration({ preset, seed, set, at }, parameters);
  if (rules.length > MOST_LANES)
    throw new UsageError(`--rules: ${rules.length} runs, and a page plays up to ${MOST_LANES} beside one another`);
  const arms = rules.map((text) => {
    const { rule, changes } = readArm(oneWorld(tables), text);
    return checkConfiguration({ ...base, controls: { ...base.controls, ...changes, rule } });
  });
  const [first = base, ...others] = arms;
  return { name: preset, runs: [first, ...others], out };
}

async function write(recording: Recording, out: Output | undefined, terminal: Terminal): Promise<void> {
  const json = writeRecording(recording);
  if (!out) {
    terminal.out(json);
    return;
  }
  const packed = gzipSync(json, { level: 9 });
  await out.write(new Uint8Array(packed).buffer);
  terminal.err(`written: ${show(out.file)}, ${Math.round(packed.length / 1000)} kB\n`);
}

/** How a run is recorded. */
interface Plan {
  readonly steps: number;
  readonly groupEvery: number;
  readonly checkpoint: string | undefined;
}

async function record(
  device: EngineDevice,
  configuration: RunConfiguration,
  { steps, groupEvery, checkpoint }: Plan,
  terminal: Terminal,
): Promise<RecordedRun> {
  const opened = await openWorld(configuration);
  const events: RunEvent[] = [];
  const metrics: Metrics[] = [];
  const groups: GroupView[] = [];
  const progress = new Progress(terminal, steps);
  // A run that is made closes its world.
  const run = await startRun();
  const pending: Promise<void>[] = [];
  const shown = shownSteps(configuration, steps, groupEvery);
  try {
    await drive(run, steps, {
      signal: terminal.signal,
      updated: ({ batch, controls, exact, credit }) => {
        if (!shown.has(batch.step)) return;
        const taken = credit.then((used) => {
          const credited = { batch, controls, exact, credit: used };
          groups.push(groupView(credited, firstUntied(batch.groups), run.trainer.environment));
        });
        taken.catch(() => {});
        pending.push(taken);
      },
      metrics: (row) => {
        metrics.push(row);
        progress.advance('update', progressNote(row));
      },
    });
    await Promise.all(pending);
  } finally {
    progress.close();
    run.destroy();
  }
  if (terminal.signal.aborted) throw new Interrupted();
  const { engine, name, software } = device;
  return {
    configuration,
    device: { engine, name, software },
    metrics,
    events,
    groups: groups.sort((a, b) => a.step - b.step),
  };

  async function startRun(): Promise<Run> {
    let made: Run | undefined;
    try {
      const { state } = loadStart(opened.world, checkpoint);
      made = await Run.create(device, configuration, (event) => events.push(event), opened);
      made.beginWith(state);
      return made;
    } catch (error) {
      if (made) made.destroy();
      else opened.close();
      throw error;
    }
  }
}

/** Steps of which a group is kept: every few, the last, and those around changes. */
function shownSteps({ schedule }: RunConfiguration, steps: number, every: number): ReadonlySet<number> {
  const regular = Array.from({ length: Math.ceil(steps / every) }, (_, index) => index * every);
  const around = schedule.flatMap(({ step }) => [step - 1, step, step + 1]);
  return new Set([...regular, ...around, steps - 1]);
}
