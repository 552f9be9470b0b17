import { expect, test } from 'vitest';
import { CustomRuleError } from '../../../../src/customRules/results.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { FakeWorld } from '../../../fakeRuns.ts';

test('a custom rule that fails pauses the run before its update, and the run continues with another rule', async () => {
  let failing = true;
  const world = new FakeWorld({
    duration: () => 1,
    onComplete: (operation) => {
      if (operation !== 'update' || !failing || world.of('metrics').length < 2) return;
      throw new CustomRuleError({ file: 'my_rule.py', line: 3, group: '2-0', turn: 1 }, 'ValueError: no');
    },
  });
  world.send({ type: 'start', configuration: defaultConfiguration(), play: true });
  await world.clock.advance(2000);
  expect(world.status).toBe('paused');
  const { problem } = world.of('problem')[0];
  expect(problem).toMatchObject({ kind: 'rule', recovery: 'none' });
  expect(problem.message).toContain(
    'Paused before the update, and nothing is lost: my_rule.py, line 3, group "2-0", turn 1',
  );
  const before = world.of('metrics').length;
  expect(world.of('metrics').map(({ metrics }) => metrics.step)).toEqual(
    Array.from({ length: before }, (_, step) => step),
  );

  failing = false;
  world.send({ type: 'change', changes: { rule: 'grpo-or' } });
  world.send({ type: 'step' });
  await world.clock.advance(2000);
  expect(world.of('metrics').at(-1)?.metrics.step).toBe(before);
  expect(world.status).toBe('paused');
  expect(world.of('problem')).toHaveLength(1);
});
