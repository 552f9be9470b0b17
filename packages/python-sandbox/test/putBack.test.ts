import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { SandboxInterpreter } from '../src/guest/sandboxInterpreter.ts';
import { LIMITS } from '../src/types.ts';
import { ALL_ATTACKS } from './allAttacks.ts';
import { BODIES, program, retained, startPython } from './putBackPrograms.ts';

// The interpreter runs in the thread of the test, so that the test can read its memory.
let worker: SandboxInterpreter;
beforeAll(async () => {
  worker = await startPython();
});

const HONEST = [
  'import math, collections\ndef f(a, b): return a + int(math.sqrt(4)) * len([1] * 11) + collections.Counter("a")["b"]',
  'def f(a, b):\n  d = {str(i): [i] * i for i in range(300)}\n  return sum(map(len, d.values())) - 44808',
  'import re, dataclasses\n@dataclasses.dataclass\nclass P:\n  x: int\ndef f(a, b): return P(len(re.sub("x+", "", "axxb" * 11))).x + 20',
];

// The long tests run all attacks.
test.each(Object.entries(ALL_ATTACKS))('all memory is restored after the first attack of "%s"', (_, attacks) => {
  for (const { name, program: source } of attacks.slice(0, 1)) {
    worker.run(program(source));
    worker.restore();
    expect({ name, pages: worker.pages.differing() }).toEqual({ name, pages: [] });
  }
});

test('between tests of a program, memory has the state after the definition of its functions', () => {
  const marks = new Set<string>();
  for (const source of HONEST) {
    const inputs = Array.from({ length: 4 }, () => [20, 22]);
    const { outcomes } = worker.run(program(source, inputs));
    marks.add(
      JSON.stringify(outcomes.map((outcome) => JSON.stringify(outcome)).filter((text, i, all) => text !== all[i - 1])),
    );
    worker.pages.restoreHeld();
    expect(worker.pages.differing()).toEqual([]);
  }
  // All four outcomes are equal, including their fuel.
  for (const mark of marks) expect(JSON.parse(mark)).toHaveLength(1);
});

test.each(BODIES)(
  'a test has the same result among other tests as alone, with any code outside functions: %j',
  (source) => {
    const inputs = [
      [1, 2],
      [3, 4],
      [1, 2],
      [5, 6],
    ];
    const job = { ...program(source, inputs), entry: source.includes('class C') ? 'C.g' : 'f' };
    const { outcomes } = worker.run(job);
    worker.restore();
    expect(worker.pages.differing()).toEqual([]);
    const separate = inputs.map((input) => worker.run({ ...job, inputs: [input] }).outcomes[0]);
    expect(outcomes).toEqual(separate);
    expect(outcomes[2]).toEqual(outcomes[0]);
  },
);

test('programs use the same fuel after a restore of changed pages as after a restore of all pages', () => {
  const fuel = (isComplete: boolean) =>
    HONEST.map((source) => {
      worker.run(program('import re\nl = [re.compile(str(i)) for i in range(50)]\ndef f(a, b): re.x = l'));
      if (isComplete) worker.pages.restoreAll();
      return worker.run(program(source)).outcomes;
    });
  expect(fuel(true)).toEqual(fuel(false));
});

test('the module has 15 open imports', () => {
  // There are 268 imports; if a new version of the interpreter has other imports, they must be reviewed.
  expect(worker.hostImports.counts).toEqual({ open: 15, empty: 28, closed: 225 });
});

describe('a retained program', () => {
  test('a retained program is compiled once while at most four other programs are requested', () => {
    const compile = vi.spyOn(worker as unknown as { compile(source: string): number }, 'compile');
    const sources = Array.from({ length: 5 }, (_, i) => `x = ${i}\ndef f(a, b): return a + b + x`);
    const run = (...indices: number[]) => indices.map((i) => worker.run(retained(sources[i])).outcomes[0]);
    const compiled = () => compile.mock.calls.splice(0).map(([source]) => sources.indexOf(source));
    run(0, 1, 2, 3, 0, 1, 2, 3);
    expect(compiled()).toEqual([0, 1, 2, 3]);
    // The program with the oldest last request is evicted.
    run(0, 4, 0, 2, 3, 1);
    expect(compiled()).toEqual([4, 1]);
    worker.run({ ...retained(sources[0]), limits: { ...LIMITS, fuel: 99_999 } });
    expect(compiled()).toEqual([0]);
    compile.mockRestore();
  });

  test('a retained program is restarted each time if its memory is too large', () => {
    const compile = vi.spyOn(worker as unknown as { compile(source: string): number }, 'compile');
    const large = retained('x = bytearray(b"1" * 9_000_000)\ndef f(a, b): return len(x)');
    expect(worker.run(large)).toEqual(worker.run(large));
    expect(compile).toHaveBeenCalledTimes(2);
    compile.mockRestore();
  });
});
