import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EngineDevice } from '../../engine/engine.ts';
import { type PolicyState, writeCheckpoint } from '../../engine/shared.ts';
import type { WarmStart } from '../../experiments/compare/comparison.ts';
import { type ComparisonPlan, settingsOf } from '../../experiments/compare/findings.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { warmStartName } from '../../training/data/warmStartNames.ts';
import { codeOf } from '../framework/code.ts';
import { trainWarmStart } from '../framework/createWarmStart.ts';
import { reason } from '../framework/errors.ts';
import { openWorld } from '../framework/openWorld.ts';
import { loadStart, readPolicy, roundTripPolicy, warmStartFile } from '../framework/policyFiles.ts';
import type { Terminal } from '../framework/terminal.ts';

/**
 * Loads the policy that all runs start from.
 * @throws {UsageError} if the policy does not exist or its shape does not match the world
 */
export async function sharedStart({ environment, settings }: ComparisonPlan, checkpoint?: string): Promise<WarmStart> {
  const opened = await openWorld({ environment, settings });
  try {
    return loadStart(opened.world, checkpoint);
  } finally {
    opened.close();
  }
}

/**
 * Returns a function that returns the warm start of a seed: the shipped, a cached or a new warm start.
 * @param cache folder that stores new warm starts; if absent, they are stored in memory only
 */
export function startsOf(
  device: EngineDevice,
  plan: ComparisonPlan,
  terminal: Terminal,
  cache?: string,
): (seed: number) => Promise<WarmStart> {
  const known = new Map<number, Promise<WarmStart>>();
  return (seed) => {
    const warmSeed = settingsOf(plan, seed).warmSeed as number;
    const start = known.get(warmSeed) ?? createStart(device, plan, seed, terminal, cache);
    known.set(warmSeed, start);
    return start;
  };
}

async function createStart(
  device: EngineDevice,
  plan: ComparisonPlan,
  seed: number,
  terminal: Terminal,
  cache: string | undefined,
): Promise<WarmStart> {
  const world = { environment: plan.environment, settings: settingsOf(plan, seed) };
  const opened = await openWorld(world);
  try {
    const shape = opened.world.policy;
    if (!plan.freshWarmStart && existsSync(warmStartFile(world.settings, world.environment))) {
      return started(loadStart(opened.world, undefined).state);
    }
    const cachePath = cache && startFile(cache, plan, world.settings);
    if (cachePath && existsSync(cachePath)) {
      try {
        return started(readPolicy(shape, new Uint8Array(readFileSync(cachePath)).buffer, cachePath));
      } catch (error) {
        terminal.err(`${reason(error)}; the warm start is made again\n`);
      }
    }
    opened.warmUp();
    const trainer = await trainWarmStart(device, world, opened.environment, terminal);
    const { parameters } = await trainer.engine.readState();
    trainer.destroy();
    const state = roundTripPolicy(shape, parameters);
    if (cachePath) writeAtomically(cachePath, new Uint8Array(writeCheckpoint(shape, state)));
    return started(state);
  } finally {
    opened.close();
  }
}

/** Returns the path of a warm start that is created on demand. */
export function startFile(folder: string, plan: ComparisonPlan, settings: ParameterValues): string {
  return `${folder}/${warmStartName(plan.environment, settings)}_${codeName(plan)}.safetensors`;
}

/** Returns a digest of the code of an environment. Other code can create another warm start in the same world. */
export function codeName({ environment }: ComparisonPlan): string {
  return createHash('sha256')
    .update(JSON.stringify(codeOf(environment)))
    .digest('hex')
    .slice(0, 8);
}

/** Writes a file completely or not at all. Several processes can write the same file at the same time. */
export function writeAtomically(file: string, data: Uint8Array | string): void {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}.part`;
  writeFileSync(unfinished, data);
  renameSync(unfinished, file);
}

function started(state: PolicyState): WarmStart {
  const { buffer, byteOffset, byteLength } = state.parameters;
  const digest = createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
  return { state, digest };
}
