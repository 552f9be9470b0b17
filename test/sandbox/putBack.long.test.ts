import { beforeAll, expect, test } from 'vitest';
import type { Guest } from '../../src/sandbox/guest/guest.ts';
import type { Value } from '../../src/sandbox/types.ts';
import { ALL_ATTACKS } from './allAttacks.ts';
import { BODIES, kept, program, startGuest } from './putBackPrograms.ts';

// The interpreter runs in the test's own thread, so that the test can read its memory.
let guest: Guest;
beforeAll(async () => {
  guest = await startGuest();
});

test.each(Object.entries(ALL_ATTACKS))('after each attack of "%s" every byte is what it was', (_, attacks) => {
  for (const { name, program: source } of attacks) {
    guest.run(program(source));
    guest.restore();
    expect({ name, pages: guest.pages.differing() }).toEqual({ name, pages: [] });
  }
});

test.each(BODIES)(
  'a program with stored state answers as one that is begun anew, whatever has run since: %j',
  (source) => {
    const anew = (input: readonly Value[]) => guest.run({ ...kept(source, input), keep: false });
    const [first, second] = [anew([1, 2]), anew([3, 4])];
    for (const { program: attack } of Object.values(ALL_ATTACKS).flat().slice(0, 8)) {
      expect(guest.run(kept(source, [1, 2]))).toEqual(first);
      guest.run(program(attack));
      expect(guest.run(kept(source, [3, 4]))).toEqual(second);
    }
    guest.restore();
    expect(guest.pages.differing()).toEqual([]);
  },
);
