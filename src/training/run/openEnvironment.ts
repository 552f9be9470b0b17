import { CustomRules } from '../../customRules/customRules.ts';
import { type PolicyConfiguration, standardPolicy } from '../../engine/shared.ts';
import type { AnyEnvironment, CustomTasks, EnvironmentParts, Reliability } from '../../environments/environment.ts';
import { loadEnvironment } from '../../environments/loadEnvironment.ts';
import { ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import type { Execute } from '../../environments/shared/execution.ts';
import { type ProgramSandbox, sandboxExecute } from '../../environments/shared/sandboxExecute.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import { loaded } from '../data/notLoaded.ts';
import { missingModel } from '../rewardModel/missingModel.ts';

/** Functions that environments need from their host. */
export interface EnvironmentHost {
  /** Opens a sandbox for the programs of policies. */
  openSandbox?(): ProgramSandbox & { close(): void };
  /** Loads the text of the module that custom rules import from `turnwise` (python/turnwise_rl/core.py). */
  loadRuleLibrary?(): Promise<string>;
  /** Loads a reward model of a world, as a file; undefined if the model does not exist. */
  loadRewardModel?(
    world: Pick<RunConfiguration, 'environment' | 'settings'>,
    reliability: Reliability,
  ): Promise<ArrayBuffer | undefined>;
}

/** An environment with what it holds open. */
export interface OpenEnvironment {
  readonly environment: AnyEnvironment;
  /** Computes custom rules, in the same sandbox. */
  readonly customRules: CustomRules;
  /**
   * Loads a reward model of the environment's world.
   * @throws {RewardModelError} if the model does not exist, with the command that makes it
   */
  loadRewardModel(reliability: Reliability): Promise<ArrayBuffer>;
  /** Starts the sandbox that the environment will need, which takes a while; otherwise the first program starts it. */
  warmUp(): void;
  /** Ends the sandbox, where one was opened. */
  close(): void;
}

/**
 * Opens the environment of a configuration. Its sandbox starts with the first program that runs, and ends with `close`.
 * @param configuration checked (checkConfiguration)
 * @param customTasks in place of the shipped tasks, where the environment reads such; what the file says is checked by running it
 * @throws {TaskError | RepositoriesError} if `customTasks` has an error, naming file, line and field
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

/** The shape of the policy that learns an environment. */
export function policyFor({ vocabulary, context, network }: AnyEnvironment): PolicyConfiguration {
  const standard = standardPolicy(vocabulary.size, context);
  if (!network) return standard;
  const { layers, dim, heads, ropeBase = standard.ropeBase, ffDim = standard.ffDim } = network;
  return { ...standard, layers, dim, heads, kvHeads: heads, ffDim, ropeBase };
}
