import { CustomRules } from '../../customRules/customRules.ts';
import { type PolicyConfiguration, standardPolicy } from '../../engine/shared.ts';
import type {
  AnyEnvironment,
  CustomTasks,
  EnvironmentModule,
  EnvironmentParts,
  Reliability,
} from '../../environments/environment.ts';
import { ENVIRONMENTS, type EnvironmentName, type RegisteredEnvironment } from '../../environments/registry.ts';
import { type Execute, type ProgramSandbox, sandboxExecute } from '../../environments/shared/execution.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import { missingModel } from '../rewardModel/rewardModelFile.ts';

/** Functions of the host that environments need. */
export interface EnvironmentHost {
  /** Opens a sandbox for the programs of policies. */
  openSandbox?(): ProgramSandbox & { close(): void };
  /** Loads the text of the module that custom rules import from `turnwise` (python/turnwise_rl/core.py). */
  loadRuleLibrary?(): Promise<string>;
  /** Loads the file of a reward model of a world; undefined if the model does not exist. */
  loadRewardModel?(
    world: Pick<RunConfiguration, 'environment' | 'settings'>,
    reliability: Reliability,
  ): Promise<ArrayBuffer | undefined>;
}

/** Open environment with its sandbox. */
export interface OpenEnvironment {
  readonly environment: AnyEnvironment;
  /** Computes custom rules, in the same sandbox. */
  readonly customRules: CustomRules;
  /**
   * Loads the file of a reward model of the environment's world.
   * @throws {RewardModelError} with the command that trains the model, if it does not exist
   */
  loadRewardModel(reliability: Reliability): Promise<ArrayBuffer>;
  /** Starts the sandbox in advance, if the environment runs programs. Otherwise the first program starts it. */
  warmUp(): void;
  /** Closes the sandbox, if it is open. */
  close(): void;
}

/**
 * Opens the environment of a configuration. Its sandbox starts with the first program, and closes with `close`.
 * @param configuration checked configuration (checkConfiguration)
 * @param customTasks tasks in place of the shipped tasks, if the environment supports them. Its programs are run as a
 *   check
 * @throws {TaskError | RepositoriesError} that names the file, line and field of an error in `customTasks`
 */
export async function openEnvironment(
  { environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>,
  host: EnvironmentHost = {},
  customTasks?: CustomTasks,
): Promise<OpenEnvironment> {
  let sandbox: ReturnType<NonNullable<EnvironmentHost['openSandbox']>> | undefined;
  let closed = false;
  const open = () => {
    sandbox ??= host.openSandbox?.();
    return sandbox;
  };
  const opening = (description: string) => {
    if (closed) throw new Error(`the environment "${environment}" is closed`);
    const sandbox = open();
    if (!sandbox) throw new Error(`${description} runs programs, and no sandbox is available`);
    return sandbox;
  };
  const execute: Execute = async (executions) =>
    sandboxExecute(opening(`the environment "${environment}"`))(executions);
  const library = host.loadRuleLibrary ?? (() => Promise.reject(new Error('custom rules cannot run here')));
  const customRules = new CustomRules({ sandbox: () => opening('a custom rule'), library });
  const opened = await create(ENVIRONMENTS[environment], settings, { execute, customTasks }).catch((error: unknown) => {
    sandbox?.close();
    throw error;
  });
  return {
    environment: opened,
    customRules,
    async loadRewardModel(reliability) {
      const file = await host.loadRewardModel?.({ environment, settings }, reliability);
      if (file) return file;
      throw missingModel({ environment, settings }, reliability);
    },
    warmUp() {
      if (opened.runsPrograms && !closed) open();
    },
    close() {
      closed = true;
      sandbox?.close();
    },
  };
}

async function create(
  { name, title, customTasks }: RegisteredEnvironment,
  settings: ParameterValues,
  parts: EnvironmentParts,
): Promise<AnyEnvironment> {
  if (parts.customTasks && !customTasks)
    throw new Error(`${parts.customTasks.file}: the ${name} environment reads no tasks`);
  const factory = await loaded(`the environment ${title}`, loadEnvironment(name));
  const data = await loaded(`the problems of ${title}`, factory.load(settings));
  return factory.create(settings, data, parts);
}

/** Loads the code of an environment, which the page's build contains only in the chunks of its worker. */
export async function loadEnvironment(name: EnvironmentName): Promise<EnvironmentModule> {
  const { environmentModule } = (await import(`../../environments/${name}/open.ts`)) as {
    environmentModule: EnvironmentModule;
  };
  return environmentModule;
}

/** Returns the shape of the policy for an environment. */
export function policyFor({ vocabulary, context, network }: AnyEnvironment): PolicyConfiguration {
  const standard = standardPolicy(vocabulary.size, context);
  if (!network) return standard;
  const { layers, dim, heads, ropeBase = standard.ropeBase, ffDim = standard.ffDim } = network;
  return { ...standard, layers, dim, heads, kvHeads: heads, ffDim, ropeBase };
}

/** Error for a part of the program that could not be fetched on demand: no network, or the file does not exist. */
export class NotLoadedError extends Error {
  /** @param part name of the part for the message, for example "the environment Repair" */
  constructor(part: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${part} could not be loaded (${reason})`, { cause });
    this.name = 'NotLoadedError';
  }
}

/** Awaits a part that is fetched on demand. @throws {NotLoadedError} that names the part, if it cannot be fetched */
export async function loaded<Part>(part: string, promise: Promise<Part>): Promise<Part> {
  try {
    return await promise;
  } catch (error) {
    throw new NotLoadedError(part, error);
  }
}
