import { expect, test } from 'vitest';
import { timeless } from '../../timeless.ts';
import { configuration, Page } from './sessionPage.ts';

test('an update in slow motion equals a normal update, and reports how far it moved the turns of the displayed group', async () => {
  const page = new Page();
  page.start(false, { controls: { ...configuration.controls, learningRate: 1e-3 } });
  await page.paused();
  await page.steps(1);
  const from = page.messages.length;
  page.send({ type: 'slow-motion' });
  const { push } = await page.waitFor('push', undefined, from);
  const { group } = await page.waitFor('group', ({ group: view }) => view.step === 1, from);
  expect([push.step, push.group, page.metrics.length]).toEqual([1, group.group, 2]);
  // Before the update, the turns have the probabilities with which they were sampled.
  const sampled = group.rollouts.map(({ tokens, turns }) =>
    turns.map((_, turn) => {
      const turnTokens = tokens.filter((token) => token.turn === turn);
      return turnTokens.reduce((sum, { logProb }) => sum + (logProb ?? 0), 0);
    }),
  );
  expect(push.before.map((turns) => turns.length)).toEqual(sampled.map((turns) => turns.length));
  for (const [index, value] of push.before.flat().entries())
    expect(value).toBeCloseTo(sampled.flat()[index] as number, 3);
  // After the update the probabilities differ. Most turns with credit moved in the direction of their advantage.
  const moves = group.rollouts.flatMap(({ turns }, rollout) =>
    turns.map(({ advantage }, turn) => {
      const moved = (push.after[rollout]?.[turn] ?? NaN) - (push.before[rollout]?.[turn] ?? NaN);
      return { advantage, moved };
    }),
  );
  expect(moves.every(({ moved }) => Number.isFinite(moved))).toBe(true);
  expect(moves.some(({ moved }) => Math.abs(moved) > 1e-4)).toBe(true);
  const significant = moves.filter(({ advantage }) => Math.abs(advantage) > 0.1);
  const followed = significant.filter(({ advantage, moved }) => Math.sign(moved) === Math.sign(advantage));
  expect(followed.length).toBeGreaterThan(significant.length / 2);

  // The slow motion has no effect on the run.
  await page.steps(1);
  const plain = new Page();
  plain.start(false, { controls: { ...configuration.controls, learningRate: 1e-3 } });
  await plain.paused();
  await plain.steps(3);
  expect(page.metrics.map(timeless)).toEqual(plain.metrics.map(timeless));
});
