import type { CustomTasks, Reliability } from '../../environments/environment.ts';
import { createNodeSource } from '../../sandbox/host/node.ts';
import { Sandbox } from '../../sandbox/sandbox.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { type OpenEnvironment, openEnvironment, policyFor } from '../../training/run/openEnvironment.ts';
import { nodeRuleLibrary } from './node.ts';
import { readRewardModelFile, type World } from './policyFiles.ts';

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
