import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSolutions, solutionJob } from '../../../bench/sandboxSolutions.ts';
import { createNodeSource } from '../src/host/node.ts';
import { Sandbox } from '../src/sandbox.ts';
import type { Expected, Job, Limits, Value } from '../src/types.ts';
import { ALL_ATTACKS } from './allAttacks.ts';
import { DEEP_SOURCE } from './deepSource.ts';

// One interpreter for the whole file, because it starts in seconds. It must still work after the attacks.
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = new Sandbox(createNodeSource(), { workers: 1 });
  await sandbox.ready();
});
afterAll(() => sandbox?.close());

const job = (program: string, args: readonly Value[], expected: Expected, limits: Partial<Limits> = {}): Job => ({
  program,
  entry: 'f',
  tests: [{ args, expected }],
  limits,
});
const createJob = (program: string, limits: Partial<Limits> = {}) => job(program, [20, 22], 42, limits);
const runJob = async (given: Job) => (await sandbox.run([given]))[0];

describe('programs', () => {
  test('a program uses the unchanged language and its library', async () => {
    const program = `
from __future__ import annotations
import math, itertools, functools, collections, heapq, bisect, string, re, random, typing, dataclasses, operator, statistics
import fractions, decimal, datetime, json, copy, enum, contextlib, textwrap, abc, numbers
from collections import Counter, defaultdict, deque, namedtuple, OrderedDict
from dataclasses import dataclass, field
from typing import List, Optional, NamedTuple
@dataclass(order=True)
class P:
    x: int
    y: List[int] = field(default_factory=list)
@dataclass(slots=True)
class Slotted(P):
    z: int = 3
    def shown(self): return super().__repr__()
class Colour(enum.Enum):
    RED = 1
class N(NamedTuple):
    a: int
@functools.lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
@contextlib.contextmanager
def held(l):
    l.append(1)
    try: yield l
    finally: l.append(2)
def gen():
    got = yield 1
    yield from [got, 3]
class Base(abc.ABC):
    @abc.abstractmethod
    def go(self): ...
class Child(Base):
    def go(self): return super().__class__.__name__, self.__class__.__name__
def f():
    l = []
    with held(l): pass
    g = gen(); next(g)
    match {"k": [1, 2]}:
        case {"k": [a, *rest]}: pass
    t = namedtuple('T', 'u v')(1, 2)
    return [fib(30), sorted([P(2), P(1)])[0].x, Colour.RED.name, N(5).a, l, [g.send(7), next(g)], rest, t.v, Child().go()[1],
            str(fractions.Fraction(1, 3) + 1), str(decimal.Decimal('0.1') + 1), json.dumps({"a": [1, None]}), f"{math.pi:.3f}",
            re.sub(r"(\\w)\\1", r"<\\1>", "aabbc"), datetime.date(2024, 2, 29).isoformat(), Counter("aab").most_common(1),
            heapq.nsmallest(2, [3, 1, 2]), bisect.bisect([1, 2, 3], 2), statistics.median([1, 3]), string.ascii_lowercase[:3],
            list(itertools.accumulate([1, 2, 3], operator.mul)), isinstance(3, numbers.Integral), eval("1 + 1"), P(1) == P(1), Slotted(4).shown()]
`;
    const expected: Expected = [
      832040, 1, 'RED', 5, [1, 2], [7, 3], [2], 2, 'Child', '4/3', '1.1', '{"a": [1, null]}', '3.142', '<a><b>c', '2024-02-29',
      [{ tuple: ['a', 2] }], [1, 2], 2, { float: 2 }, 'abc', [1, 2, 6], true, 2, true, 'Slotted(x=4, y=[])',
    ]; // biome-ignore format: as long as the program's own list
    expect(await runJob(job(program, [], expected))).toMatchObject({ status: 'passed' });
  });

  test('a program receives arguments and returns results of all supported types', async () => {
    const values: Value[] = [
      null, true, 0, -1, 2 ** 53 - 1, 2n ** 100n, -(2n ** 64n), { float: 0.1 }, { float: Number.POSITIVE_INFINITY }, '', 'aé漢😀\0', [],
      [[1], { tuple: [] }], { tuple: [1, { tuple: ['x'] }] }, { set: [1] }, { dict: [['k', [1]], [{ tuple: [1] }, null]] },
    ]; // biome-ignore format: a table
    const outcomes = await sandbox.execute([{ program: 'def f(*a): return list(a)', entry: 'f', inputs: [values] }]);
    expect(outcomes[0][0]).toMatchObject({ kind: 'value', value: values });
  });

  test('the error of a program contains class, message and line', async () => {
    const deep = 'def g(x):\n  return 1 / x\n\ndef f(a, b):\n  return g(0)';
    expect((await runJob(createJob(deep))).tests[0].error).toEqual({
      type: 'ZeroDivisionError',
      message: 'division by zero',
      line: 2,
    });
    expect((await runJob(createJob('def f(a, b)\n  return 1'))).tests[0].error).toMatchObject({
      type: 'SyntaxError',
      line: 1,
    });
    expect((await runJob(createJob('import os'))).tests[0].error).toEqual({
      type: 'ImportError',
      message: 'module os is closed in the sandbox',
      line: 1,
    });
  });

  test('a program has a separate interpreter state for each test', async () => {
    const program =
      'import random\nn = 0\ndef f(seen=[]):\n  global n\n  n += 1\n  seen.append(n)\n  random.x = 1\n  return [n, seen, random.random()]';
    const inputs = [[], [], []];
    const [outcomes] = await sandbox.execute([{ program, entry: 'f', inputs }]);
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
    expect(outcomes[0]).toMatchObject({ kind: 'value', value: [1, [1], { float: 0.8444218515250481 }] });
  });

  test('the entry of a program can be a method', async () => {
    const program = 'class S:\n  def __init__(self): self.n = 1\n  def add(self, x): return self.n + x';
    expect(await runJob({ program, entry: 'S.add', tests: [{ args: [1], expected: 2 }] })).toMatchObject({
      status: 'passed',
    });
  });
});

describe('fuel', () => {
  const SPENDERS = [
    'def f(a, b):\n  return sum(i * i for i in range(100)) and a + b',
    'import typing, collections.abc\nX = typing.Dict[str, typing.List[int]]\ndef f(a, b): return isinstance([], collections.abc.Sequence) + a + b - 1',
    'import re, functools, fractions\ndef f(a, b): return int(fractions.Fraction(re.sub("x+", "4", "xx2"))) + a - a',
    'from dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\ndef f(a, b): return P(a).x + b',
    'import datetime\ndef f(a, b): return datetime.datetime.strptime("42", "%M").minute',
    'import random, statistics\ndef f(a, b):\n  random.seed(3)\n  l = [random.gauss(0, 1) for _ in range(50)]\n  random.shuffle(l)\n  return round(statistics.mean(l)) * 0 + a + b',
    'def f(a, b):\n  d = {}\n  for i in range(500): d.setdefault(str(i) * 3, []).append(i)\n  return len(d) - 458',
    'import enum, json\nclass C(enum.Enum):\n  A = 1\ndef f(a, b): return len(json.dumps({C.A.name: [a] * 3})) + 23',
    'import heapq\nclass A:\n  def __lt__(self, o): return id(self) is None\ndef f(a, b):\n  h = [A() for _ in range(20)]\n  heapq.heapify(h)\n  return 2 * len(h) + 2',
  ];

  test('the fuel of a program does not depend on earlier programs', async () => {
    // Comments distinguish the rounds in a batch. A program is compared with itself, because a comment costs fuel.
    const programs = SPENDERS.flatMap((program) => [0, 1, 2].map((round) => `${program}\n#${round}`));
    const initial = await sandbox.run(programs.map((program) => createJob(program)));
    expect(initial.map(({ status }) => status)).toEqual(programs.map(() => 'passed'));
    // The same programs in reverse order, on an interpreter that has run all of them.
    const again = await sandbox.run(programs.toReversed().map((program) => createJob(program)));
    expect(again.map(({ fuel }) => fuel)).toEqual(initial.map(({ fuel }) => fuel).toReversed());
  });

  test('the fuel of a call increases with its work', async () => {
    const fuel = async (body: string) =>
      (await runJob(createJob(`import re, itertools\ndef f(a, b):\n  ${body}`))).fuel;
    const pairs = [
      ['for i in range(10): pass', 'for i in range(1000): pass', 200],
      ['sum(range(10))', 'sum(range(1000))', 280],
      ['[x for x in range(10)]', '[x for x in range(1000)]', 340],
      ['list(map(str, range(10)))', 'list(map(str, range(1000)))', 1000],
      ['3 ** 10', '3 ** 100000', 1000],
      ['"x" * 10', '"x" * 1000000', 650],
      ['1 << 10', '1 << 10000000', 900],
      ['re.match("(a+)+$", "aaab")', 're.match("(a+)+$", "a" * 18 + "b")', 1000],
    ] as const;
    for (const [small, large, least] of pairs)
      expect((await fuel(large)) - (await fuel(small)), large).toBeGreaterThanOrEqual(least);
  });

  test('the fuel limit stops a program at the same step each time', async () => {
    const program = 'def f(a, b):\n  n = 0\n  try:\n    while True:\n      n += 1\n      print(n)\n  finally: pass';
    const run = async (i: number) => (await runJob(createJob(`${program}\n#${i}`, { fuel: 500 }))).tests[0];
    const first = await run(1);
    expect(first).toMatchObject({ status: 'limit', fuel: 500, output: expect.stringMatching(/^1\n2\n3\n/) });
    expect(await run(2)).toEqual(first);
  });
});

describe('attacks', () => {
  const all = Object.entries(ALL_ATTACKS);
  test('there are more than 348 attacks', () => {
    expect(all.flatMap(([, attacks]) => attacks).length).toBeGreaterThan(228 + 120);
  });

  test.each(all)('the sandbox withstands attacks: %s', async (_, attacks) => {
    const health =
      'import math, collections\ndef f(a, b): return a + int(math.sqrt(4)) * len([1] * 11) + collections.Counter("a")["b"]';
    const jobs = attacks.flatMap(({ program }, i) => [
      createJob(program, { fuel: 100_000 }),
      createJob(`${health}\n#${i}`),
    ]);
    const results = await sandbox.run(jobs);
    const observed = attacks.map(({ name, message }, i) => {
      const { status, tests } = results[2 * i];
      const text = JSON.stringify([tests[0].actual, tests[0].error]);
      return {
        name,
        status,
        message: message === undefined || message.test(text) || text,
        after: results[2 * i + 1].status,
      };
    });
    expect(observed).toEqual(attacks.map(({ name, status }) => ({ name, status, message: true, after: 'passed' })));
  });
});

describe('batches', () => {
  test('the results of a batch have the order of its jobs', async () => {
    const programs = Array.from({ length: 60 }, (_, i) => `def f(a, b): return a + b + ${i % 20}`);
    const results = await sandbox.run(programs.map((program) => createJob(program)));
    expect(results.map(({ tests }) => tests[0].actual)).toEqual(programs.map((_, i) => String(42 + (i % 20))));
  });

  test('a program that hangs does not change the other results of its batch', async () => {
    const { replaced } = sandbox.statistics;
    // Repeated searches in one long string cost few steps: only the watchdog ends them.
    const hangs = createJob('def f(a, b):\n  s = "x" * 10**6\n  while True: s.count("y")', {
      time: 300,
      fuel: 10 ** 9,
    });
    const regular = Array.from({ length: 10 }, (_, i) => createJob(`def f(a, b): return a + b\n#${i}`));
    const results = await sandbox.run([...regular.slice(0, 5), hangs, ...regular.slice(5)]);
    expect(results.map(({ status }) => status)).toEqual([
      ...Array(5).fill('passed'),
      'limit',
      ...Array(5).fill('passed'),
    ]);
    expect(results[5].tests[0].error?.type).toBe('time limit');
    expect(sandbox.statistics.replaced).toBe(replaced + 1);
  });

  test('a batch can be cancelled, and the sandbox works afterwards', async () => {
    const stop = new AbortController();
    const running = sandbox.run([createJob('def f(a, b):\n  while True: "x".count("y")', { fuel: 10 ** 12 })], {
      signal: stop.signal,
    });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(running).rejects.toThrow('enough');
    expect((await runJob(createJob('def f(a, b): return a + b'))).status).toBe('passed');
  });

  test('a batch with an invalid job is rejected with the index of the job', async () => {
    await expect(sandbox.run([{ ...createJob(''), entry: 'f()' }])).rejects.toThrow('job 0: entry "f()"');
    await expect(sandbox.run([{ ...createJob(''), tests: [] }])).rejects.toThrow('job 0: at least one test');
    await expect(sandbox.run([createJob('', { fuel: 0 })])).rejects.toThrow('limit fuel');
  });
});

test.each(Object.entries(DEEP_SOURCE))('the sandbox accepts deeply nested source: %s', async (_, program) => {
  const [result] = await sandbox.run([{ program, entry: 'f', tests: [{ args: [2], expected: 5 }] }]);
  expect(result.tests[0]).toMatchObject({ status: 'passed' });
});

describe('solutions of a file', () => {
  const problem = (body: string) => ({
    task_id: 'own/1',
    prompt: 'def double(n):\n    "Twice n."\n',
    canonical_solution: `    return ${body}\n`,
    test: 'def check(candidate):\n    assert candidate(4) == 8\n    assert candidate(0) == 0\n',
    entry_point: 'double',
  });

  test('a solution in a file passes if its checks pass', async () => {
    const text = [problem('2 * n'), problem('n + 4')].map((entry) => JSON.stringify(entry)).join('\n');
    const [right, wrong] = await sandbox.run(readSolutions(text).map(solutionJob));
    expect(right.status).toBe('passed');
    expect(wrong).toMatchObject({ status: 'error', tests: [{ error: { type: 'AssertionError' } }] });
  });

  test('an invalid solution is rejected with line and field', () => {
    expect(() => readSolutions('\n{')).toThrow('line 2: ');
    expect(() => readSolutions(JSON.stringify({ ...problem('n'), test: 3 }))).toThrow('line 1: test must be a string');
    expect(() => readSolutions(JSON.stringify({ ...problem('n'), entry_point: 'a b' }))).toThrow('names no function');
    expect(() => readSolutions('')).toThrow('no problem');
  });
});

test('an int with too many digits is not returned, and addresses are hidden', async () => {
  const many = await runJob(createJob('def f(a, b): return 1 << 1_000_000'));
  expect(many.tests[0].error?.type).toBe('result limit');
  const result = await runJob(createJob('class A: pass\ndef f(a, b):\n  print(A())\n  return a + b'));
  expect(result.tests[0].output).toBe('<__main__.A object at 0x>\n');
});
