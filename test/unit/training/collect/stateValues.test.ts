import { expect, test } from 'vitest';
import { estimateStateValues } from '../../../../src/training/collect/ruleInputs.ts';
import { CertainGenerator, createSmallTrainer, REPLIES, SEQUENCES } from '../smallTrainer.ts';

const CONTROLS = { groupSize: 6, vineContinuations: 3, vineGamma: 1 };

test('the state value of a deterministic policy is its outcome, discounted by the remaining turns', async () => {
  const { trainer } = createSmallTrainer(REPLIES, new CertainGenerator(SEQUENCES));
  const batch = await trainer.play([2, 1], 0, { branching: [6, 1] });
  const computeValues = async (vineGamma: number) => {
    const sampler = { ...trainer, controls: { ...CONTROLS, vineGamma } };
    const { groups, forest } = await estimateStateValues(sampler, batch, 0);
    expect(forest.groups).toBe(groups);
    return groups.map(({ turns }) => turns.map(({ stateValue }) => stateValue));
  };
  const outcomes = batch.trajectories.map(({ turns }) => turns.at(-1)?.outcome);
  const full = await computeValues(1);
  const half = await computeValues(0.5);
  batch.trajectories.forEach(({ group, turns }, index) => {
    turns.forEach(({ forestTurn }, turn) => {
      const at = forestTurn - batch.forest.groupOffset[group];
      expect(full[group][at]).toBe(outcomes[index]);
      expect(half[group][at]).toBe((outcomes[index] ?? 0) * 0.5 ** (turns.length - 1 - turn));
    });
  });
});

test('rollouts with the same beginning share state values, and the draws depend on the key', async () => {
  const { trainer, requests } = createSmallTrainer(REPLIES);
  const batch = await trainer.play([2, 1], 0, { branching: [6, 1] });
  const sampler = { ...trainer, controls: CONTROLS };
  requests.length = 0;
  const sampled = await estimateStateValues(sampler, batch, 4);
  // Each beginning has three episodes. All first turns of a group have the same beginning and value.
  const firsts = new Set(
    sampled.groups.map(
      ({ turns }) => new Set(turns.filter(({ parent }) => parent < 0).map(({ stateValue }) => stateValue)).size,
    ),
  );
  expect(firsts).toEqual(new Set([1]));
  const turns = batch.trajectories.reduce((sum, trajectory) => sum + trajectory.turns.length, 0);
  const started = requests
    .filter((all) => all.every(({ cached }) => cached === 0))
    .reduce((sum, all) => sum + all.length, 0);
  expect(started % 3).toBe(0);
  expect(started / 3).toBeLessThan(turns);
  const again = await estimateStateValues(sampler, batch, 4);
  expect(again.groups).toEqual(sampled.groups);
  expect((await estimateStateValues(sampler, batch, 5)).groups).not.toEqual(sampled.groups);
  // The sampled batch does not change.
  expect(batch.groups[0].turns[0].stateValue).toBeUndefined();
});
