import { expect, test } from 'vitest';
import { type Sampled, withoutTie, withSample } from '../../../../src/app/session/runEvents.ts';
import { groupOf } from '../appFixtures.ts';

const sample = (number: number, step = 4) => ({ ...groupOf({ step }), sampleOnly: true, sample: number });

test('samples are listed once, with their step and a mark for tied samples', () => {
  const first = sample(1);
  const turns = first.forest.turns.map((turn) => (turn.outcome === undefined ? turn : { ...turn, outcome: 0.2 }));
  const tied = { ...sample(2, 5), forest: { ...first.forest, turns } };
  let known: readonly Sampled[] = [];
  for (const group of [groupOf(), first, { ...first }, tied]) known = withSample(known, group);
  known = withoutTie(known, 6, 32);
  expect(known.map(({ step, group, isTied, samples }) => [step, group?.sample, isTied, samples])).toEqual([
    [4, 1, false, undefined],
    [5, 2, true, undefined],
    [6, undefined, false, 32],
  ]);
});

test('the last 20 samples are retained', () => {
  let known: readonly Sampled[] = [];
  for (let number = 1; number <= 25; number++) known = withSample(known, sample(number));
  expect(known.map(({ group }) => group?.sample)).toEqual(Array.from({ length: 20 }, (_, index) => index + 6));
});
