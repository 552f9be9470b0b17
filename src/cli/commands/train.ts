import { CreditError } from '../../credit/creditError.ts';
import { CustomRuleError } from '../../customRules/results.ts';
import type { EngineDevice } from '../../engine/engine.ts';
import { readCheckpoint } from '../../engine/shared.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { Detectors, detectionLine } from '../../experiments/detectors.ts';
import { drive } from '../../experiments/drive.ts';
import { writeGroups } from '../../rollouts/jsonLines.ts';
import { writeRunFile } from '../../storage/runFile.ts';
import { TooLargeError } from '../../training/collect/batch.ts';
import {
  DEFAULT_ENVIRONMENT,
  type EngineName,
  isExact,
  type RunConfiguration,
} from '../../training/data/configuration.ts';
import { checkConfiguration, type RunTables, SEED, tablesOf } from '../../training/data/configurationTables.ts';
import type { RunEvent, SavedRun } from '../../training/data/protocol.ts';
import { RewardModelError } from '../../training/rewardModel/rewardModelFile.ts';
import { NonFiniteError, Run } from '../../training/run/run.ts';
import type { Update } from '../../training/run/trainer.ts';
import { groupRecords } from '../../training/worker/groupViews.ts';
import { type CommandInput, defineCommand } from '../framework/command.ts';
import {
  atFlag,
  controlSections,
  createCustomTasksFlag,
  ENVIRONMENT,
  PRESET,
  perEnvironment,
  pick,
  readConfiguration,
  readCustomTasks,
  resolveCustomRules,
  ruleSection,
  setFlag,
  settingSections,
  worldFlag,
} from '../framework/configurationFlags.ts';
import { ENGINE, withDevice } from '../framework/device.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { integerFlag, number, optional, text } from '../framework/flags.ts';
import { filesRead, loadRun, loadStart, readPolicy, rewardModelIn, show } from '../framework/policyFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { flat, type OpenWorld, openWorld, progressNote } from '../framework/worldRuns.ts';
import { type Output, withOutputs } from '../output/outputs.ts';

const flagsOf = (tables: RunTables) => ({
  environment: optional(ENVIRONMENT),
  ...worldFlag(tables),
  preset: optional(PRESET),
  seed: optional(number(SEED)),
  engine: ENGINE,
  steps: integerFlag('Updates, counted from the start of the run.', { min: 1, max: 1_000_000, default: 120 }),
  out: text('FILE', 'Write the metrics to this file, one line of JSON per update; the default is standard output.'),
  groups: text(
    'FILE',
    'Write the groups of rollouts to this file, one line per group, with the advantages that the update used. `credit` and ' +
      'the page read it. With --resume, the file has the groups of the new updates only.',
  ),
  at: atFlag(tables),
  set: setFlag([...tables.settings, ...tables.controls], tables.rule !== tablesOf(tables.environment.name).rule),
  checkpoint: text('FILE', 'Start from this checkpoint or saved run instead of the warm start of the world.'),
  save: text(
    'FILE',
    'Save the run at the end, also after Ctrl-C or a number that is not finite; --resume and the page continue it.',
  ),
  resume: text(
    'FILE',
    'Continue a saved run after its last update. Its metrics are written again, so that --out has the whole run. ' +
      'Controls given by name change from the next update on.',
  ),
  ...(createCustomTasksFlag(tables.environment.name) as Record<never, never>),
  ...((tables.environment.rewardModel ? { rewardModel: REWARD_MODEL } : {}) as Record<never, never>),
});

const REWARD_MODEL = text('FILE', 'Use this reward model instead of that of the world, if the run uses a model.');

/** Errors that occur before an update and do not change the run. */
const FAULTS = [CustomRuleError, CreditError, RewardModelError, TooLargeError] as const;

type TrainFlags = ReturnType<typeof flagsOf>;

/** Command that trains a policy and writes one line of metrics per update. */
export const trainCommand = perEnvironment((tables) =>
  defineCommand({
    name: 'train',
    summary: 'train a policy and write its metrics as JSON Lines',
    description:
      'Trains a policy in an environment (default search), as the page does: the same seed and changes give the same curve ' +
      'on the same device. Without --preset, search starts from mt-grpo, with --seed 1.',
    flags: flagsOf(tables),
    parameters: [ruleSection(tables), ...controlSections(tables), ...settingSections(tables)],
    examples: [
      '--preset mt-grpo --seed 1 --steps 120 --out run.jsonl',
      '--preset mt-grpo --at 60:rule=grpo-or --out switched.jsonl',
      '--rule grpo-or --learningRate 3e-4 --steps 50 --save kept.json',
      '--resume kept.json --steps 120 --out run.jsonl',
      '--rule mt-ppo --steps 20 --out run.jsonl --groups groups.jsonl',
      '--environment repair --rule verpo --steps 50 --out run.jsonl',
      '--environment repo --rule rtmc --steps 80 --out run.jsonl',
      '--rule ./my_rule.py --set alpha=0.5 --steps 50 --out run.jsonl --save kept.json',
    ],
    async run(request, terminal) {
      const given = { ...request, ...(await resolveCustomRules(request.flags, request.parameters, tables)) };
      const { flags } = given;
      const plan = flags.resume === undefined ? await fresh(given, tables) : await resumed(given, flags.resume, tables);
      const { settings, environment } = plan.configuration;
      const files = { out: flags.out, groups: flags.groups, save: flags.save };
      const inputs = filesRead(flags, settings, environment);
      try {
        // The new file may replace the saved run that it continues.
        return await withOutputs(terminal, files, { inputs, continues: { save: flags.resume } }, (outputs) => {
          const late = flags.at.find(({ step }) => step >= flags.steps);
          if (late) terminal.err(`note: --at ${late.step} is after the last update of --steps ${flags.steps}\n`);
          return withDevice(terminal, flags.engine ?? plan.engine, (device) =>
            train(device, plan, flags.steps, outputs, terminal),
          );
        });
      } finally {
        plan.opened.close();
      }
    },
  }),
);

async function train(
  device: EngineDevice,
  plan: Plan,
  steps: number,
  { save, ...files }: Readonly<Record<'out' | 'groups' | 'save', Output | undefined>>,
  terminal: Terminal,
): Promise<number> {
  const progress = new Progress(terminal, steps, plan.saved?.step);
  const detectors = new Detectors(ENVIRONMENTS[plan.configuration.environment].watched);
  const onEvent = ({ step, text }: RunEvent) => progress.write(`step ${step}: ${text}`);
  const run = await Run.create(device, plan.configuration, onEvent, plan.opened);
  try {
    const lines = new TrainLines(terminal.out, files);
    plan.begin(run);
    for (const metrics of run.metrics) {
      lines.metrics(flat(metrics));
      detectors.see(metrics);
    }
    await drive(run, steps, {
      metrics: (metrics) => {
        lines.metrics(flat(metrics));
        progress.advance('update', progressNote(metrics));
        for (const detection of detectors.see(metrics)) progress.write(detectionLine(detection));
      },
      updated: (update) => lines.record(update),
      signal: AbortSignal.any([terminal.signal, lines.failed]),
    });
    await lines.settled();
    if (save) await saveRun(run, save, progress);
    lines.failed.throwIfAborted();
  } catch (error) {
    if (FAULTS.some((kind) => error instanceof kind)) {
      // The error occurred before the update, so policy, optimizer and metrics are in the state after the previous
      // update.
      if (save) await saveRun(run, save, progress);
      throw new Error(`training stopped before update ${run.step}: ${(error as Error).message}`);
    }
    if (!(error instanceof NonFiniteError)) throw error;
    const note = save ? await saveBefore(run, error.step, save) : '';
    throw new Error(`training stopped: ${error.message}${note}`);
  } finally {
    progress.close();
    run.destroy();
  }
  return terminal.signal.aborted ? EXIT.interrupted : EXIT.done;
}

/** Plan of a run before a device is open: its configuration, and a function that loads its policy. */
interface Plan {
  readonly configuration: RunConfiguration;
  readonly opened: OpenWorld;
  /** Engine of the continued run, if the engine gives the same numbers on every machine. */
  readonly engine?: EngineName | undefined;
  readonly saved?: SavedRun;
  begin(run: Run): void;
}

async function fresh({ flags, parameters }: CommandInput<TrainFlags>, tables: RunTables): Promise<Plan> {
  const { world, set, at, seed = SEED.default } = flags;
  const { name: environment } = tables.environment;
  const { preset = environment === DEFAULT_ENVIRONMENT ? PRESET.fallback : undefined } = flags;
  const chosen = preset === undefined ? {} : { preset };
  const configuration = readConfiguration({ ...chosen, world, environment, seed, set, at }, parameters);
  const opened = await openCustomWorld(configuration, flags, tables);
  const { state } = loadStart(opened.world, flags.checkpoint);
  // The policy of a checkpoint is also the reference policy of a new run. The optimizer state of the checkpoint is
  // unused.
  return { configuration, opened, begin: (run) => run.beginWith(state) };
}

async function resumed(
  { flags, parameters }: CommandInput<TrainFlags>,
  file: string,
  tables: RunTables,
): Promise<Plan> {
  for (const name of ['environment', 'world', 'preset', 'seed', 'checkpoint'] as const) {
    if (flags[name] !== undefined)
      throw new UsageError(`--${name}: not allowed with --resume, because the saved run has its own value`);
  }
  const given = { ...Object.fromEntries(flags.set.flat()), ...parameters };
  const [setting] = Object.keys(pick(given, tables.settings));
  if (setting) throw new UsageError(`--${setting}: not allowed with --resume, because the world of a run is fixed`);
  const saved = loadRun(file);
  if (flags.steps <= saved.step) {
    throw new UsageError(`--steps: ${flags.steps} is not above ${saved.step}, the number of updates of ${file}`);
  }
  const early = flags.at.find(({ step }) => step < saved.step);
  if (early) throw new UsageError(`--at: step ${early.step} is before step ${saved.step}, where ${file} continues`);
  const stored = checkConfiguration(saved.configuration);
  const configuration = checkConfiguration({ ...stored, schedule: [...stored.schedule, ...flags.at] });
  const opened = await openCustomWorld(configuration, flags, tables);
  try {
    readPolicy(opened.world.policy, saved.checkpoint, file);
  } catch (error) {
    opened.close();
    throw error;
  }
  const { engine } = stored;
  return {
    configuration,
    opened,
    engine: isExact(engine) ? engine : undefined,
    saved,
    begin(run) {
      run.resume(saved);
      run.change(given);
    },
  };
}

/** Opens the world of a run, with the custom tasks and the reward model that flags name. */
async function openCustomWorld(
  configuration: RunConfiguration,
  flags: object,
  { environment }: RunTables,
): Promise<OpenWorld> {
  const customTasks = readCustomTasks(environment.name, flags);
  const opened = await openWorld(configuration, customTasks);
  try {
    if (customTasks) opened.environment.checkSplit?.('train', customTasks.file);
    const { rewardModel } = flags as { rewardModel?: string };
    if (rewardModel === undefined) return opened;
    const file = rewardModelIn(opened.world, rewardModel, 'rewardModel');
    return { ...opened, loadRewardModel: async () => file };
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function saveRun(run: Run, save: Output, progress: Progress): Promise<void> {
  const saved = await run.save();
  await save.write(writeRunFile(saved));
  progress.write(`saved at step ${saved.step}: ${show(save.file)}`);
}

/**
 * Saves a run that failed at an update in its state before that update. The GPU skips optimizer steps that are not
 * finite, so the weights of the run are still valid. Returns the end of the error message.
 */
async function saveBefore(run: Run, step: number, save: Output): Promise<string> {
  const saved = await run.save();
  const { trainer } = run;
  try {
    readCheckpoint(trainer.engine.config, saved.checkpoint);
  } catch (error) {
    return `; the run was not saved, because ${(error as Error).message}`;
  }
  // The following update already ran. The continued run repeats its metrics.
  const metrics = saved.metrics.filter((row) => row.step < step);
  await save.write(writeRunFile({ ...saved, step, metrics }));
  return `; saved at step ${step} with the last finite weights: ${show(save.file)}`;
}

/**
 * Writer of the lines of a run during training. A line that cannot be written ends the training. The error is reported
 * after the run is saved.
 */
class TrainLines {
  private readonly stop = new AbortController();
  private readonly out: (text: string) => void;
  private readonly groups: ((text: string) => void) | undefined;
  private groupsWritten: Promise<void> = Promise.resolve();

  /** @param print receives the metrics if no file is requested */
  constructor(
    print: (text: string) => void,
    { out, groups }: { readonly out: Output | undefined; readonly groups: Output | undefined },
  ) {
    this.out = out ? this.linesOf(out) : print;
    this.groups = groups && this.linesOf(groups);
  }

  /** Signal that is aborted after a failed write, with the error as its reason. */
  get failed(): AbortSignal {
    return this.stop.signal;
  }

  /** Writes a line of metrics immediately, so that the file is complete after any end of the run. */
  metrics(row: object): void {
    this.out(`${JSON.stringify(row)}\n`);
  }

  /** Writes the groups of an update after their credit is computed, in the order of the updates. */
  record({ batch, credit, controls }: Update): void {
    if (!this.groups) return;
    const before = this.groupsWritten;
    const writeRecords = async () => {
      await before;
      this.groups?.(writeGroups(groupRecords(batch, await credit, controls.rule as string)));
    };
    this.groupsWritten = writeRecords();
    // The caller that awaits `settled` receives the error.
    this.groupsWritten.catch(() => {});
  }

  /**
   * Resolves when the groups of all updates are computed.
   * @throws if the credit of an update could not be computed
   */
  settled(): Promise<void> {
    return this.groupsWritten;
  }

  private linesOf(output: Output): (text: string) => void {
    const write = output.lines();
    return (text) => {
      if (this.failed.aborted) return;
      try {
        write(text);
      } catch (error) {
        this.stop.abort(error);
      }
    };
  }
}
