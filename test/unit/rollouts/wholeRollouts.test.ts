import { expect, test } from 'vitest';
import { wholeRollouts } from '../../../src/rollouts/wholeRollouts.ts';
import { collect } from '../training/collectWorld.ts';

const MANNER = { next: 'reply', turns: 3 } as const;

test('a sequence that branches off has the turns and tokens before it, and what is continued is in those', async () => {
  const { batch } = await collect(MANNER, [3, 2, 1]);
  const whole = wholeRollouts(batch.rollouts, batch.forest);
  expect(whole.map(({ turns }) => turns)).toEqual(batch.trajectories.map(({ turns }) => turns));
  expect([whole.some(({ turns }) => turns.length === 3), whole.length < batch.rollouts.length]).toEqual([true, true]);
  for (const { tokens, turnOf, logProb, entropy, turns } of whole) {
    expect([turnOf.length, logProb.length, entropy.length]).toEqual(new Array(3).fill(tokens.length));
    for (const [place, turn] of turns.entries()) {
      const sequence = batch.rollouts.find((own) => own.turns.includes(turn));
      const at = sequence?.turns.indexOf(turn);
      const written = (list: ArrayLike<number>, of: Int32Array, number: number | undefined) =>
        Array.from(list).filter((_, index) => of[index] === number);
      for (const field of ['tokens', 'logProb', 'entropy'] as const) {
        const own = { tokens, logProb, entropy }[field];
        expect(written(own, turnOf, place)).toEqual(sequence && written(sequence[field], sequence.turnOf, at));
      }
    }
  }
});

test('chains stay as they are', async () => {
  const { batch } = await collect(MANNER, [4, 1], { tasks: 1 });
  expect(wholeRollouts(batch.rollouts, batch.forest)).toEqual(batch.rollouts);
});
