import { expect, test } from 'vitest';
import { searchRun } from './startedTestRun.ts';

test('VinePPO samples continuations from the states before turns that a judge rewards', async () => {
  const run = await searchRun({ rule: 'vineppo', turnReward: 'judge', questions: 2, groupSize: 2 });
  const { batch, metrics } = await run.update();
  for (const { turns } of batch.groups)
    for (const { stateValue } of turns) expect(stateValue).toEqual(expect.any(Number));
  expect(Number.isFinite((await metrics).loss)).toBe(true);
});

test('the shipped judges reward turns before the last in the range of rule-based rewards, and no outcomes', async () => {
  const means: number[] = [];
  for (const turnReward of ['judge', 'unreliable']) {
    const run = await searchRun({ turnReward });
    const { batch, metrics } = await run.update();
    const { facts } = await metrics;
    for (const { turns } of batch.rollouts) {
      const [turn, last] = turns;
      expect(turn.reward).toBeGreaterThanOrEqual(-0.2);
      expect(turn.reward).toBeLessThanOrEqual(0.5);
      expect([batch.forest.reward[turn.forestTurn], turn.facts.judgeReward]).toEqual([
        expect.closeTo(turn.reward, 6),
        turn.reward,
      ]);
      expect([1, 0.2, -1]).toContain(last.outcome);
      expect(last.facts.judged).toBeGreaterThanOrEqual(0);
    }
    const all = batch.rollouts.map(({ turns: [{ facts: turnFacts }] }) => turnFacts);
    const mean = (name: string) => all.reduce((sum, turnFacts) => sum + turnFacts[name], 0) / all.length;
    expect(facts.judgeReward).toBeCloseTo(mean('judgeReward'), 6);
    expect(facts.ruleReward).toBeCloseTo(mean('ruleReward'), 6);
    const searched = batch.rollouts.filter(({ turns: [{ facts: turnFacts }] }) => turnFacts.toolUse === 1);
    const share =
      searched.reduce((sum, { turns: [{ facts: turnFacts }] }) => sum + turnFacts.judged, 0) / searched.length;
    means.push(share);
  }
  // The judge prefers searches, and the unreliable judge does not.
  expect(means[0]).toBeGreaterThan(0.7);
  expect(means[1]).toBeLessThan(0.5);
});

test('rule-based rewards are the default and have no metrics of a judge', async () => {
  const batchOf = async (controls: Record<string, string>) => {
    const { batch, metrics } = await (await searchRun(controls)).update();
    await metrics;
    return batch;
  };
  const [defaultBatch, named] = [await batchOf({}), await batchOf({ turnReward: 'rules' })];
  expect(named.groups).toEqual(defaultBatch.groups);
  for (const { facts, components } of defaultBatch.rollouts.flatMap(({ turns }) => turns)) {
    expect(facts).not.toHaveProperty('judged');
    expect(components).not.toHaveProperty('judge');
  }
});
