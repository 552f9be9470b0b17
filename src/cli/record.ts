import { drive } from '../experiments/drive.ts';
import type { Gpu } from '../gpu/device.ts';
import type { RunConfiguration } from '../training/configuration.ts';
import type { Message } from '../training/protocol.ts';
import { Run } from '../training/run.ts';
import { CONTROLS, SEED, SETTINGS, tablesOf } from '../training/tables.ts';
import { groupView } from '../training/views.ts';
import { defineCommand } from './command.ts';
import { atFlag, controlSections, PRESET, readConfiguration, setFlag, settingSections } from './configurationFlags.ts';
import { withGpu } from './device.ts';
import { EXIT, Interrupted } from './errors.ts';
import { filesRead, type LoadedPolicy, loadPolicy, show } from './files.ts';
import { number, text, whole } from './flags.ts';
import { withOutputs } from './outputs.ts';
import { Progress, type Terminal } from './terminal.ts';
import { progressNote } from './train.ts';

/** What the page replays is a run of the search environment. */
const TABLES = tablesOf('search');
/** Digits that a recorded number keeps. */
const DIGITS = 5;
/** The order of messages about one step. */
const ORDER: readonly Message['type'][] = ['ready', 'event', 'metrics', 'group'];

/** Records a run for a page without WebGPU: what a training worker would have said. */
export const recordCommand = defineCommand({
  name: 'record',
  summary: 'record a run for the page to replay where there is no WebGPU',
  description:
    'Trains like `train` and writes what the page would have heard as one JSON file: the metrics and events of every ' +
    'step, and a group of rollouts every few steps. A recorded run has no weights and cannot be continued.',
  flags: {
    preset: PRESET,
    seed: number(SEED),
    steps: whole('Updates.', { min: 1, max: 10_000, default: 120 }),
    groupEvery: whole('Updates from one recorded group to the next.', { min: 1, max: 10_000, default: 6 }),
    out: text('FILE', 'Where the recording goes; without it, to standard output.'),
    at: atFlag(TABLES),
    set: setFlag([...SETTINGS, ...CONTROLS]),
    checkpoint: text('FILE', 'Start from this checkpoint instead of the warm start of the world.'),
  },
  parameters: [...controlSections(TABLES), ...settingSections(TABLES)],
  examples: ['--preset mt-grpo --steps 120 --out public/recorded-run.json'],
  async run({ flags, parameters }, terminal) {
    const configuration = readConfiguration(flags, parameters);
    const inputs = filesRead(flags, configuration.settings, 'search');
    return withOutputs(terminal, { out: flags.out }, { inputs }, async ({ out }) => {
      const start = loadPolicy(configuration.settings, flags.checkpoint);
      const { steps, groupEvery } = flags;
      const messages = await withGpu(terminal, (gpu) => record(gpu, configuration, start, steps, groupEvery, terminal));
      const json = `${JSON.stringify({ configuration, messages }, recorded)}\n`;
      if (!out) terminal.out(json);
      else {
        await out.write(json);
        terminal.err(`written: ${show(out.file)}, ${Math.round(json.length / 1000)} kB\n`);
      }
      return EXIT.done;
    });
  },
});

async function record(
  gpu: Gpu,
  configuration: RunConfiguration,
  { state }: LoadedPolicy,
  steps: number,
  groupEvery: number,
  terminal: Terminal,
): Promise<Message[]> {
  const { name, software } = gpu;
  const ready: Message = { type: 'ready', configuration, device: { name, software }, step: 0 };
  const told: { readonly step: number; readonly message: Message }[] = [{ step: -1, message: ready }];
  const progress = new Progress(terminal, steps);
  const run = await Run.create(gpu, configuration, (event) => {
    told.push({ step: event.step, message: { type: 'event', event } });
  });
  const groups: Promise<void>[] = [];
  try {
    run.beginWith(state);
    await drive(run, steps, {
      signal: terminal.signal,
      updated: ({ batch, controls, credit }) => {
        if (batch.step % groupEvery !== 0 && batch.step !== steps - 1) return;
        const shown = credit.then((used) => {
          const group = groupView(batch, used, 0, controls, run.trainer.environment);
          told.push({ step: batch.step, message: { type: 'group', group } });
        });
        shown.catch(() => {});
        groups.push(shown);
      },
      metrics: (metrics) => {
        told.push({ step: metrics.step, message: { type: 'metrics', metrics } });
        progress.advance('update', progressNote(metrics));
      },
    });
    await Promise.all(groups);
  } finally {
    progress.close();
    run.destroy();
  }
  if (terminal.signal.aborted) throw new Interrupted();
  // Metrics arrive an update late; a page hears a step's event, metrics and group in this order.
  const order = ({ message }: { message: Message }) => ORDER.indexOf(message.type);
  return told.sort((a, b) => a.step - b.step || order(a) - order(b)).map(({ message }) => message);
}

/** Rounds numbers on their way into JSON; exact ones, such as seeds, are short already. */
function recorded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
}
