import { afterEach, describe, expect, test } from 'vitest';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { childrenOf } from '../../../src/rollouts/forest.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { Run } from '../../../src/training/run/run.ts';
import { runParameters } from '../../../src/training/update/planUpdate.ts';
import { groupView } from '../../../src/training/worker/groupViews.ts';
import { timeless } from '../../timeless.ts';
import { expectClose } from '../../vectorFile.ts';
import { testDevice } from './runDevice.ts';

const runs: Run[] = [];

afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

async function open(maxTurns: number, controls: Record<string, number | string>) {
  const base = defaultConfiguration('search');
  const configuration = {
    ...base,
    settings: { ...base.settings, maxTurns },
    controls: { ...base.controls, minibatches: 1, ...controls },
  };
  const opened = await openWorld(configuration);
  const run = await Run.create(await testDevice(), configuration, () => {}, opened);
  runs.push(run);
  run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

describe('the exact form of MT-GRPO', () => {
  test.each(['leave', 'zero'])(
    'the exact form of MT-GRPO samples branches from all states except those before the last turn, absent %s',
    async (absent) => {
      const rule = 'mt-grpo-exact';
      const run = await open(4, { rule, groupSize: 3, branches: 2, questions: 6, absent });
      let deepest = 0;
      for (let update = 0; update < 2; update++) {
        const { batch, controls, exact, metrics, credit, push } = await run.trainer.update(() => 0);
        const parameters = runParameters(findRule(rule), controls, 4);
        const expected = batch.groups.flatMap((group) => [...findRule(rule).credit(group, parameters).advantage]);
        const used = await credit;
        expectClose([...used.turns], expected, 1e-4);
        for (const group of batch.groups) {
          const depth: number[] = [];
          for (const { parent } of group.turns) depth.push(parent < 0 ? 0 : depth[parent] + 1);
          expect(depth.filter((level) => level === 0).length).toBe(3);
          childrenOf(group).forEach(({ length }, turn) => {
            const { outcome } = group.turns[turn];
            expect(length).toBe(outcome !== undefined ? 0 : depth[turn] < 2 ? 2 : 1);
          });
          deepest = Math.max(deepest, ...depth);
        }
        expect((await metrics).facts.rollouts).toBe(batch.trajectories.length / 6);
        // The page shows one row per rollout of a group, and the effect of the update has the same rows.
        const view = groupView({ batch, controls, exact, credit: used }, 0, run.trainer.environment);
        const turns = view.rollouts.map((rollout) => rollout.turns.length);
        expect(turns).toEqual(
          batch.trajectories.filter(({ group }) => group === 0).map((trajectory) => trajectory.turns.length),
        );
        expect((await push)?.after.map((rollout) => rollout.length)).toEqual(turns);
      }
      expect(deepest).toBe(3);
    },
  );

  test('the exact form of MT-GRPO with two turns equals MT-GRPO, bit for bit', async () => {
    const [chain, exact] = [await open(2, { rule: 'mt-grpo' }), await open(2, { rule: 'mt-grpo-exact' })];
    for (let update = 0; update < 2; update++) {
      const [exactUpdate, chainUpdate] = [await exact.update(), await chain.update()];
      const { rule: _, decision: __, ...rest } = timeless(await exactUpdate.metrics);
      expect(timeless(await chainUpdate.metrics)).toMatchObject(rest);
      expect(await exactUpdate.credit).toEqual(await chainUpdate.credit);
    }
    expect((await exact.trainer.engine.readState()).parameters).toEqual(
      (await chain.trainer.engine.readState()).parameters,
    );
  });

  test('an update whose trees may exceed the capacity is an error, and the run continues with smaller trees', async () => {
    const run = await open(4, { rule: 'mt-grpo-exact', groupSize: 8, branches: 8 });
    await expect(run.update()).rejects.toThrow(
      'with 8 first turns, 8 turns from a state and up to 4 turns a tree can take 584 sequences, and there is room for 256; ' +
        'lower branches or groupSize',
    );
    run.change({ branches: 2, questions: 2 });
    const { metrics } = await run.update();
    expect([(await metrics).step, (await metrics).tasks]).toEqual([0, 2]);
  });
});
