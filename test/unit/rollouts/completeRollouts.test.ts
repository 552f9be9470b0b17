import { expect, test } from 'vitest';
import { completeRollouts } from '../../../src/rollouts/rolloutBatch.ts';
import { collect } from '../training/collectWorld.ts';

const WORLD_OPTIONS = { next: 'reply', turns: 3 } as const;

test('completeRollouts adds the turns and tokens before a branch, and omits sequences that others continue', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [3, 2, 1]);
  const complete = completeRollouts(batch.rollouts, batch.forest);
  expect(complete.map(({ turns }) => turns)).toEqual(batch.trajectories.map(({ turns }) => turns));
  expect([complete.some(({ turns }) => turns.length === 3), complete.length < batch.rollouts.length]).toEqual([
    true,
    true,
  ]);
  for (const { tokens, turnOf, logProb, entropy, turns } of complete) {
    expect([turnOf.length, logProb.length, entropy.length]).toEqual(new Array(3).fill(tokens.length));
    for (const [position, turn] of turns.entries()) {
      const sequence = batch.rollouts.find((rollout) => rollout.turns.includes(turn));
      const at = sequence?.turns.indexOf(turn);
      const written = (list: ArrayLike<number>, of: Int32Array, number: number | undefined) =>
        Array.from(list).filter((_, index) => of[index] === number);
      for (const field of ['tokens', 'logProb', 'entropy'] as const) {
        const values = { tokens, logProb, entropy }[field];
        expect(written(values, turnOf, position)).toEqual(sequence && written(sequence[field], sequence.turnOf, at));
      }
    }
  }
});

test('completeRollouts returns rollouts without branches unchanged', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [4, 1], { tasks: 1 });
  expect(completeRollouts(batch.rollouts, batch.forest)).toEqual(batch.rollouts);
});
