import { beforeAll, expect, test } from 'vitest';
import type { SandboxInterpreter } from '../src/guest/sandboxInterpreter.ts';
import type { Value } from '../src/types.ts';
import { ALL_ATTACKS } from './allAttacks.ts';
import { BODIES, program, retained, startPython } from './putBackPrograms.ts';

// The interpreter runs in the thread of the test, so that the test can read its memory.
let python: SandboxInterpreter;
beforeAll(async () => {
  python = await startPython();
});

test.each(Object.entries(ALL_ATTACKS))('all memory is restored after each attack of "%s"', (_, attacks) => {
  for (const { name, program: source } of attacks) {
    python.run(program(source));
    python.restore();
    expect({ name, pages: python.pages.differing() }).toEqual({ name, pages: [] });
  }
});

test.each(BODIES)(
  'a program with stored state has the results of a restarted program, after any other programs: %j',
  (source) => {
    const runFresh = (input: readonly Value[]) => python.run(retained(source, input, false));
    const [first, second] = [runFresh([1, 2]), runFresh([3, 4])];
    for (const { program: attack } of Object.values(ALL_ATTACKS).flat().slice(0, 8)) {
      expect(python.run(retained(source, [1, 2]))).toEqual(first);
      python.run(program(attack));
      expect(python.run(retained(source, [3, 4]))).toEqual(second);
    }
    python.restore();
    expect(python.pages.differing()).toEqual([]);
  },
);
