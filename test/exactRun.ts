import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeExactDevice } from '../src/cli/framework/node.ts';
import { findRule } from '../src/credit/rules.ts';
import { ENVIRONMENTS } from '../src/environments/registry.ts';
import type { ParameterValues } from '../src/parameters/parameters.ts';
import { readCheckpoint } from '../src/policy/checkpoint.ts';
import type { PolicyState } from '../src/policy/policy.ts';
import { initialParameters } from '../src/policy/weights.ts';
import { CounterRandom, STREAMS } from '../src/random/counter.ts';
import type { RolloutBatch } from '../src/rollouts/rolloutBatch.ts';
import { layoutOf } from '../src/training/collect/batch.ts';
import { Collector } from '../src/training/collect/collector.ts';
import type { EnvironmentName } from '../src/training/data/configuration.ts';
import { defaultConfiguration } from '../src/training/data/configurationTables.ts';
import { warmStartName } from '../src/training/data/worlds.ts';
import { openEnvironment, policyFor } from '../src/training/run/openEnvironment.ts';
import { computeUtilization, taskCount } from '../src/training/run/trainer.ts';
import { ExactCredit, MAX_EPOCHS, MAX_MINIBATCHES, planUpdate } from '../src/training/update/planUpdate.ts';
import { updateMetrics } from '../src/training/update/updateMetrics.ts';
import { root } from './files.ts';

/**
 * Opens a run of an environment on the exact engine, with the collector and the plan of training.
 * @param world settings and controls that differ from the defaults
 */
export async function openExactRun(
  name: EnvironmentName,
  world: { readonly settings?: ParameterValues; readonly controls?: ParameterValues } = {},
  seed = 1,
) {
  const configuration = defaultConfiguration(name);
  const settings = { ...configuration.settings, ...world.settings };
  const { environment } = await openEnvironment({ environment: name, settings });
  const entry = ENVIRONMENTS[name];
  const config = policyFor(environment);
  const { sequences, tokens: rows = sequences * config.context } = entry.capacity;
  const device = await nodeExactDevice();
  const engine = await device.createEngine({
    ...{ config, capacity: { sequences, rows }, betas: entry.betas, seed },
    ...{ maxTurns: environment.maxTurns, turnLengths: environment.turnLengths },
    ...{ largest: { epochs: MAX_EPOCHS, minibatches: MAX_MINIBATCHES }, rules: [] },
  });
  if (entry.warmStart === 'none') engine.start(initialParameters(config, 0));
  else {
    const file = join(root, `src/environments/${name}/checkpoints/${warmStartName(name, settings)}.safetensors`);
    const bytes = await readFile(file);
    engine.start(
      readCheckpoint(config, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)).parameters,
    );
  }
  const { capacity } = engine;
  const collector = new Collector(environment, engine);
  let [step, fill]: [number, number | undefined] = [0, undefined];
  const run = {
    ...{ engine, environment, seed },
    controls: { ...configuration.controls, ...world.controls } as ParameterValues,
    play() {
      const { controls } = run;
      const number = (control: string) => controls[control] as number;
      const layout = layoutOf(findRule(controls.rule as string), controls, entry, environment.maxTurns);
      const random = new CounterRandom(seed, STREAMS.tasks, step);
      const tasks = environment.sampleTasks(random, taskCount(controls, layout, fill, capacity.sequences), 'train');
      const { branching, continuations, turns } = layout;
      return collector.collect({
        ...{ step, tasks, branching, controls, seed, key: step },
        ...(continuations ? { continuations } : {}),
        sampling: { temperature: number('temperature'), topP: number('topP'), topK: number('topK') },
        ...(turns < environment.maxTurns ? { play: { mode: 'train' as const, maxTurns: turns } } : {}),
      });
    },
    plan(batch: RolloutBatch) {
      const exact = new ExactCredit(batch, run.controls, environment.maxTurns);
      const criticUpdates = engine.criticUpdates(findRule(run.controls.rule as string));
      const { context } = config;
      return planUpdate(batch, run.controls, exact, { seed, context, criticUpdates });
    },
    /** Continues from a state after `done` updates. */
    resume(state: PolicyState, done: number, share: number | undefined) {
      engine.writeState(state);
      [step, fill] = [done, share];
    },
    async update() {
      const { controls } = run;
      const layout = layoutOf(findRule(controls.rule as string), controls, entry, environment.maxTurns);
      const batch = await run.play();
      fill = computeUtilization(fill, batch.forest.parent.length, batch.groups.length, layout);
      const exact = new ExactCredit(batch, controls, environment.maxTurns);
      const report = await engine.update(run.plan(batch));
      const times = { stepMs: 1, generateMs: 0, updateMs: 0, trainedTokens: 0 };
      step++;
      return { batch, report, metrics: updateMetrics(batch, controls, environment, fill, report, times, exact) };
    },
  };
  return run;
}

/** Returns the first 16 digits of the SHA-256 of parameters, reference, moments and the critic of a state. */
export function digestOf({ critic, ...state }: PolicyState): string {
  const hash = createHash('sha256');
  const add = (arrays: readonly Float32Array[]) => {
    for (const array of arrays) hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  };
  add([state.parameters, state.reference, state.firstMoment, state.secondMoment]);
  if (critic) add([critic.parameters, critic.firstMoment, critic.secondMoment]);
  return hash.digest('hex').slice(0, 16);
}
