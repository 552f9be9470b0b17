import { describe, expect, test } from 'vitest';
import { isCustomRule } from '../../../src/credit/rules/custom/customRule.ts';
import { findRule } from '../../../src/credit/rules.ts';
import type { EngineDevice } from '../../../src/engine/engine.ts';
import { ENVIRONMENT_LIST } from '../../../src/environments/registry.ts';
import { defaultConfiguration, OFFERED } from '../../../src/training/data/configurationTables.ts';
import { Run } from '../../../src/training/run/run.ts';
import { readBanks } from '../../scripted/readBanks.ts';
import { ScriptedGpu } from '../../scripted/scriptedGpu.ts';
import { scriptedTrainers } from '../../scripted/scriptedTrainer.ts';
import { timeless } from '../../timeless.ts';

const banks = readBanks();

/** Fields that need a policy. No browser test trains under rules that read them. */
const OF_POLICIES = ['answerLogProb', 'stateValue'] as const;

async function openRun(
  environment: (typeof ENVIRONMENT_LIST)[number]['name'],
  controls: object,
  seed = 1,
): Promise<Run> {
  const base = defaultConfiguration(environment);
  const configuration = { ...base, seed, controls: { ...base.controls, ...controls } };
  const device = new ScriptedGpu(0) as unknown as EngineDevice;
  return Run.create(device, configuration, undefined, undefined, undefined, scriptedTrainers(banks));
}

async function curve(run: Run, updates: number): Promise<object[]> {
  for (let update = 0; update < updates; update++) await (await run.update()).metrics;
  return run.metrics.map(timeless);
}

const CASES = ENVIRONMENT_LIST.flatMap(({ name }) =>
  OFFERED[name]
    .filter((rule) => !isCustomRule(rule) && !OF_POLICIES.some((field) => findRule(rule).reads.includes(field)))
    .map((rule) => [name, rule] as const),
);

describe('scripted runs', () => {
  test.each(CASES)(
    'a scripted run in %s under %s has a loss and an advantage for every turn',
    async (environment, rule) => {
      const run = await openRun(environment, { rule, minibatches: 1, criticUpdates: 0 });
      const { metrics, credit, batch } = await run.update();
      expect((await metrics).loss).toEqual(expect.any(Number));
      expect((await credit).turns).toHaveLength(batch.forest.parent.length);
      run.destroy();
    },
  );

  test('scripted runs of the same configuration are equal, and differ if the seed differs', async () => {
    const first = await curve(await openRun('search', { rule: 'mt-grpo' }), 3);
    expect(await curve(await openRun('search', { rule: 'mt-grpo' }), 3)).toEqual(first);
    expect(await curve(await openRun('search', { rule: 'mt-grpo' }, 2), 3)).not.toEqual(first);
  });

  test('a resumed scripted run continues the curve, and another rule changes the curve after its first update', async () => {
    const original = await openRun('search', { rule: 'mt-grpo' });
    await curve(original, 2);
    const saved = await original.save();
    const expected = (await curve(original, 2)).slice(2);
    const resumed = await openRun('search', { rule: 'mt-grpo' });
    resumed.resume({ ...saved, metrics: [] });
    expect(await curve(resumed, 2)).toEqual(expected);

    const changed = await openRun('search', { rule: 'mt-grpo' });
    changed.resume({ ...saved, metrics: [] });
    changed.change({ rule: 'grpo-or' });
    await curve(changed, 2);
    const losses = ({ metrics }: Run) => metrics.map(({ loss }) => loss);
    expect(losses(changed)[0]).toBe(losses(resumed)[0]);
    expect(losses(changed)[1]).not.toBe(losses(resumed)[1]);
  });
});
