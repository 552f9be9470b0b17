import { afterAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../../../test/isLong.ts';
import { createNodeSource } from '../src/host/node.ts';
import { Sandbox } from '../src/sandbox.ts';
import type { Job, ProgramResult } from '../src/types.ts';
import { ATTACKS_AFTER } from './attacksAfter.ts';
import { ATTACKS_INTERPRETER } from './attacksInterpreter.ts';
import { ATTACKS_SHARED } from './attacksShared.ts';
import { ATTACKS_SIZES } from './attacksSizes.ts';
import { ATTACKS_STACK } from './attacksStack.ts';
import { ATTACKS_WORK } from './attacksWork.ts';
import { standardMix } from './standardMix.ts';

const open: Sandbox[] = [];
function sandboxOf(workers: number): Sandbox {
  const sandbox = new Sandbox(createNodeSource(), { workers, spare: false });
  open.push(sandbox);
  return sandbox;
}
afterAll(() => {
  for (const sandbox of open) sandbox.close();
});

/** Programs whose step counts depended on addresses and warm caches in earlier versions. */
const HONEST = [
  'def f(a, b): return sum(map(len, map(dict, map(enumerate, ["abc"] * 50))))',
  'def f(a, b): return [id(object()) % 7, hash(f) % 11, str(object())[-6:], len({object() for _ in range(50)})]',
  'import typing, collections.abc\nX = typing.Dict[str, typing.List[int]]\ndef f(a, b): return isinstance([], collections.abc.Sequence) + a',
  'import re, functools, fractions\ndef f(a, b): return int(fractions.Fraction(re.sub("x+", "4", "xx2"))) + a',
  'import datetime\ndef f(a, b): return datetime.datetime.strptime("42", "%M").minute',
  'import random, statistics\ndef f(a, b): return [random.random(), statistics.mean(random.choices(range(9), k=20))]',
  'import enum\nclass C(enum.Flag):\n  A = 1\n  B = 2\n  D = 4\ndef f(a, b): return str(C.A | C.B | C.D)',
  'class A:\n  def __lt__(self, o): return id(self) < id(o)\ndef f(a, b):\n  l = [A() for _ in range(60)]\n  return [l.index(x) for x in sorted(l)]',
  'class A: pass\ndef f(a, b):\n  print(id(A()), hash(A), {A() for _ in range(9)})\n  return [[hash(x) for x in {A() for _ in range(9)}], id(a), [id(x) % 64 for x in {A(): b}]]',
  'l = []\ndef f(a, b):\n  l.append(a)\n  return [len(l), [x for x in {1.5, "a", (1, 2), None, b"x"}][0] is None]',
]; // biome-ignore format: a program a line
const hostile = Object.values({
  ...ATTACKS_AFTER,
  ...ATTACKS_SHARED,
  ...ATTACKS_INTERPRETER,
  ...ATTACKS_SIZES,
  ...ATTACKS_WORK,
  stack: ATTACKS_STACK['recursion that the stack ends'],
})
  .flat()
  .map(({ program }) => program);
const job = (program: string): Job => ({
  program,
  entry: 'f',
  tests: [
    { args: [20, 22], expected: 42 },
    { args: [1, 2], expected: 3 },
  ],
  limits: { fuel: 50_000 },
});

/** Returns the items in an order drawn with Marsaglia's xorshift32, so that a failure can be reproduced. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const all = [...items];
  let state = seed;
  for (let i = all.length - 1; i > 0; i--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const j = (state >>> 0) % (i + 1);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

async function runShuffled(sandbox: Sandbox, jobs: readonly Job[], seed: number): Promise<ProgramResult[]> {
  const order = shuffled([...jobs.keys()], seed);
  const results = await sandbox.run(order.map((i) => jobs[i]));
  const all: ProgramResult[] = [];
  order.forEach((i, position) => {
    all[i] = results[position];
  });
  return all;
}

describe('the results of the same jobs have the same bytes', () => {
  // The gate runs a fifth of the programs.
  const mixed = IS_LONG ? 60 : 12;
  const attacks = IS_LONG ? hostile : hostile.filter((_, i) => i % 5 === 0);
  const jobs = [...standardMix(mixed), ...[...HONEST, ...attacks].map(job)];

  test('results have the same bytes in any order, on any number of workers, and when repeated', async () => {
    const single = sandboxOf(1);
    const first = JSON.stringify(await runShuffled(single, jobs, 1));
    expect(JSON.stringify(await runShuffled(single, jobs, 2)) === first).toBe(true);
    const three = sandboxOf(3);
    for (const seed of [3, 4]) expect(JSON.stringify(await runShuffled(three, jobs, seed)) === first).toBe(true);
    expect([single.statistics.replaced, three.statistics.replaced]).toEqual([0, 0]);
  });

  test('an honest program has the same result after hostile programs as in a new sandbox', async () => {
    const after = await runShuffled(sandboxOf(1), jobs, 5);
    const positions = HONEST.map((_, i) => mixed + i);
    const fresh = await sandboxOf(1).run(positions.map((i) => jobs[i]));
    expect(positions.map((i) => after[i])).toEqual(fresh);
  });
});
