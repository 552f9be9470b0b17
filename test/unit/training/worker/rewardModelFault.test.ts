import { expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { missingModel } from '../../../../src/training/rewardModel/missingModel.ts';
import { FakeWorld } from '../../../fakeRuns.ts';

const repair = defaultConfiguration('repair');

test('a world without a reward model names the command that makes it, by the settings that its warm start hangs on', () => {
  const settings = { ...repair.settings, worldSeed: 3, warmSeed: 3, maxTurns: 1 };
  expect(missingModel({ environment: 'repair', settings }).message).toBe(
    'there is no reward model of this world; make it with\n' +
      '  npm run turnwise -- reward-model --environment repair --worldSeed 3 --warmSeed 3',
  );
});

test('a run whose model is missing pauses before its update; with another reward it goes on from there', async () => {
  let failing = true;
  const world = new FakeWorld({
    takes: () => 1,
    befalls: (what) => {
      if (what === 'update' && failing && world.of('metrics').length >= 2) throw missingModel(repair);
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
