import { expect, test } from 'vitest';
import { openWorld } from '../../../../src/cli/framework/worldRuns.ts';
import { CustomRuleError } from '../../../../src/customRules/results.ts';
import { RELIABLE, UNRELIABLE } from '../../../../src/environments/environment.ts';
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

test.each([
  {
    fault: 'a custom rule fails',
    configuration: search,
    error: new CustomRuleError({ file: 'my_rule.py', line: 3, group: '2-0', turn: 1 }, 'ValueError: no'),
    message: 'my_rule.py, line 3, group "2-0", turn 1',
    changes: { rule: 'grpo-or' },
  },
  {
    fault: 'its reward model does not exist',
    configuration: repair,
    error: missingModel(repair, RELIABLE),
    message: 'there is no reward model',
    changes: { turnReward: 'solved' },
  },
])('a run pauses before its update if $fault, and continues after a change', async (entry) => {
  let failing = true;
  const world = new FakeWorld({
    duration: () => 1,
    onComplete: (operation) => {
      if (operation === 'update' && failing && world.of('metrics').length >= 2) throw entry.error;
    },
  });
  world.send({ type: 'start', configuration: entry.configuration, play: true });
  await world.clock.advance(2000);
  expect(world.status).toBe('paused');
  const { problem } = world.of('problem')[0];
  expect(problem).toMatchObject({ kind: 'rule', recovery: 'none' });
  expect(problem.message).toContain(`Paused before the update, and nothing is lost: ${entry.message}`);
  const before = world.of('metrics').length;
  expect(world.of('metrics').map(({ metrics }) => metrics.step)).toEqual([...Array(before).keys()]);

  failing = false;
  world.send({ type: 'change', changes: entry.changes });
  world.send({ type: 'step' });
  await world.clock.advance(2000);
  expect(world.of('metrics').at(-1)?.metrics.step).toBe(before);
  expect(world.status).toBe('paused');
  expect(world.of('problem')).toHaveLength(1);
});
