import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import type { EngineDevice } from '../../engine/engine.ts';
import type { AnyEnvironment, CustomTasks, Reliability } from '../../environments/environment.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import { drive } from '../../experiments/drive.ts';
import { metricsOfGroup } from '../../metrics/metricTable.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { type OpenEnvironment, openEnvironment, policyFor } from '../../training/run/openEnvironment.ts';
import { Run } from '../../training/run/run.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { type EngineChoice, withDevice } from './device.ts';
import { Interrupted } from './errors.ts';
import { nodeRuleLibrary } from './node.ts';
import { loadStart, readRewardModelFile, type World } from './policyFiles.ts';
import type { Terminal } from './terminal.ts';

/** Environment of a configuration. Its programs run in worker threads of Node. */
export interface OpenWorld extends OpenEnvironment {
  readonly world: World;
}

/** Opens an environment. The caller closes it unless a run does. */
export async function openWorld(
  { environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>,
  customTasks?: CustomTasks,
): Promise<OpenWorld> {
  const host = {
    openSandbox: () => new Sandbox(createNodeSource()),
    loadRuleLibrary: nodeRuleLibrary,
    loadRewardModel: async (world: Pick<RunConfiguration, 'environment' | 'settings'>, reliability: Reliability) =>
      readRewardModelFile(world, reliability),
  };
  const opened = await openEnvironment({ environment, settings }, host, customTasks);
  return { ...opened, world: { environment, settings, policy: policyFor(opened.environment) } };
}

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

/**
 * Trains a run from its warm start, with the code that the page uses.
 * @param steps number of updates
 * @param report called after each update
 * @returns the metrics of all updates
 * @throws {Interrupted} if the user requested to stop
 */
export async function trainedRun(
  device: EngineDevice,
  configuration: RunConfiguration,
  steps: number,
  { signal }: Pick<Terminal, 'signal'>,
  report: (row: Metrics) => void,
): Promise<readonly Metrics[]> {
  const opened = await openWorld(configuration);
  const metrics: Metrics[] = [];
  let run: Run | undefined;
  try {
    const { state } = loadStart(opened.world, undefined);
    run = await Run.create(device, configuration, () => {}, opened);
    run.beginWith(state);
    await drive(run, steps, {
      signal,
      metrics: (row) => {
        metrics.push(row);
        report(row);
      },
    });
  } finally {
    if (run) run.destroy();
    else opened.close();
  }
  if (signal.aborted) throw new Interrupted();
  return metrics;
}

/** Returns the metrics of an update that the progress shows. */
export function progressNote({ rule, toolUse, answer, facts, tasks, turns, stepMs }: Metrics): string {
  const share = (value: number | null | undefined) => (value == null ? '-' : value.toFixed(2));
  const details =
    'pass1' in facts
      ? ` · at once ${share(facts.pass1)} · solved ${share(facts.solved)}`
      : ` · solved ${share(facts.solved)}`;
  const description =
    toolUse === null
      ? `${details} · ${turns} turns of ${tasks} tasks`
      : ` · tool ${share(toolUse)} · answer ${share(answer)}`;
  return `${rule}${description} · ${Math.round(stepMs)} ms`;
}

/**
 * Returns metrics as one flat object: the metrics of the environment by their names, and no metrics of Search in runs
 * of other environments.
 */
export function flat({ facts, ...metrics }: Metrics): Readonly<Record<string, unknown>> {
  const remaining =
    metrics.toolUse === null ? Object.entries(metrics).filter(([name]) => !isSearchMetric(name)) : undefined;
  return { ...(remaining ? Object.fromEntries(remaining) : metrics), ...facts };
}

function isSearchMetric(name: string): boolean {
  return metricsOfGroup('search').some((metric) => metric.name === name);
}
