import { expect, test } from 'vitest';
import { openWorld } from '../../../../src/cli/framework/worldRuns.ts';
import { RELIABLE, UNRELIABLE } from '../../../../src/environments/shared/reliability.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { PRESETS, presetRun } from '../../../../src/training/data/worlds.ts';
import { missingModel } from '../../../../src/training/rewardModel/rewardModelFile.ts';
import { FakeWorld } from '../../../fakeRuns.ts';

const repair = defaultConfiguration('repair');
const search = defaultConfiguration('search');

test('missingModel names the command that trains the reward model, with the settings of the warm start', () => {
  const settings = { ...repair.settings, worldSeed: 3, warmSeed: 3, maxTurns: 1 };
  expect(missingModel({ environment: 'repair', settings }, RELIABLE).message).toBe(
    'there is no reward model of this world; make it with\n' +
      '  npm run turnwise -- reward-model --environment repair --worldSeed 3 --warmSeed 3',
  );
});

test('missingModel names the noise and the bias of an unreliable reward model', () => {
  const world = { ...search, settings: { ...search.settings, worldSeed: 3 } };
  expect(missingModel(world, UNRELIABLE).message).toBe(
    'there is no unreliable reward model of this world; make it with\n' +
      '  npm run turnwise -- reward-model --world open --worldSeed 3 --noise 0.2 --bias 0.6',
  );
});

test('every reward model that a preset uses is shipped', async () => {
  const shipped = await Promise.all(
    PRESETS.map(async (preset) => {
      const configuration = presetRun(preset);
      const opened = await openWorld(configuration);
      const requested = opened.environment.learnedReward?.judgeIn(configuration.controls);
      const file = requested && (await opened.loadRewardModel(requested));
      opened.close();
      return file ? [`${preset.environment}: ${preset.name}`] : [];
    }),
  );
  expect(shipped.flat()).toEqual(['search: unreliable-judge', 'repair: reward-model']);
});

test('a run without its reward model pauses before its update, and continues with another reward', async () => {
  let failing = true;
  const world = new FakeWorld({
    duration: () => 1,
    onComplete: (operation) => {
      if (operation === 'update' && failing && world.of('metrics').length >= 2) throw missingModel(repair, RELIABLE);
    },
  });
  world.send({ type: 'start', configuration: repair, play: true });
  await world.clock.advance(2000);
  expect(world.status).toBe('paused');
  const { problem } = world.of('problem')[0];
  expect(problem.recovery).toBe('none');
  expect(problem.message).toContain('Paused before the update, and nothing is lost: there is no reward model');
  const before = world.of('metrics').length;
  failing = false;
  world.send({ type: 'change', changes: { turnReward: 'solved' } });
  world.send({ type: 'step' });
  await world.clock.advance(2000);
  expect(world.of('metrics').at(-1)?.metrics.step).toBe(before);
});
