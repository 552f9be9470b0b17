import assert from 'node:assert/strict';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { LIMITS, type Outcome } from '@turnwise/python-sandbox/types';
import fc from 'fast-check';
import { SandboxInterpreter } from '../../packages/python-sandbox/src/guest/sandboxInterpreter.ts';
import { ALL_ATTACKS } from '../../packages/python-sandbox/test/allAttacks.ts';
import type { Fuzzer } from './fuzzer.ts';

/**
 * Programs whose results and steps would change with any state that another program leaves: caches, addresses,
 * registries, singletons, random generators.
 */
const HONEST = [
  'import math, collections\ndef f(a, b): return [a + int(math.sqrt(4)), collections.Counter("abca"), hash(str(a)), id(object()) % 9973]',
  'import re, functools\n@functools.lru_cache\ndef g(n): return n if n < 2 else g(n - 1) + g(n - 2)\ndef f(a, b): return [g(a), re.sub("(x+)y", r"<\\1>", "xxyxy"), str(re.compile("a|b", re.I | re.M))]',
  'import random, statistics\ndef f(a, b):\n  random.seed(a)\n  l = [random.gauss(0, 1) for _ in range(9)]\n  random.shuffle(l)\n  return [l, statistics.median(l)]',
  'import decimal, fractions, datetime\ndef f(a, b): return [str(decimal.Decimal(a) / 7), str(fractions.Fraction(a, b)), str(datetime.datetime.strptime("2020-02-%02d" % a, "%Y-%m-%d") + datetime.timedelta(b))]',
  'import dataclasses, enum, typing\nclass C(enum.Flag):\n  A = 1\n  B = 2\n@dataclasses.dataclass(order=True)\nclass P:\n  x: int\n  y: typing.List[int]\ndef f(a, b): return [repr(P(a, [b])), str(~C.A), sorted([P(2, []), P(1, [])])[0].x, str(typing.get_type_hints(P))]',
  'import json, copy, heapq, itertools\nd = {"k": [1, (2, 3)]}\ndef f(a, b):\n  d["n"] = d.get("n", 0) + 1\n  h = [a, b, 3]\n  heapq.heapify(h)\n  return [json.dumps(copy.deepcopy(d)), h, list(itertools.permutations("abc"))[:4]]',
  'class A:\n  def __lt__(self, o): return id(self) < id(o)\ndef f(a, b):\n  l = [A() for _ in range(30)]\n  s = {object() for _ in range(20)}\n  print(l[0], [i for i, x in enumerate(s) if i % 7 == 0])\n  return [l.index(x) for x in sorted(l)]',
  'def g(n):\n  try:\n    return 1 // n\n  except ZeroDivisionError as e:\n    return [str(e), [x ** 2 for x in range(20)], sum(range(300))]\ndef f(a, b): return [g(0), "%s %r" % (a, b), "{:>9.3f}".format(a / 7), sorted("héllo"), 3 ** 200 % 10 ** 9]',
  'import array, string, hashlib, unicodedata, bisect\ndef f(a, b): return [array.array("i", range(a)).tobytes().hex(), hashlib.sha256(str(b).encode()).hexdigest(), unicodedata.normalize("NFD", "é"), bisect.bisect([1, 5, 9], a), string.Template("$x").substitute(x=b)]',
  'import abc, collections.abc, contextlib, operator\nclass S(collections.abc.Sequence):\n  def __getitem__(self, i): return range(5)[i]\n  def __len__(self): return 5\n@contextlib.contextmanager\ndef c():\n  yield 7\ndef f(a, b):\n  with c() as x: return [x, list(S()), isinstance([], collections.abc.Sized), operator.itemgetter(1)([a, b])]',
]; // biome-ignore format: a program a line

/** Lines that change objects which all programs share. Each line may fail. */
const TAMPERS = [
  'import builtins; builtins.len = builtins.sum = builtins.str = None',
  'import sys; sys.modules.clear()',
  'import sys; sys.setrecursionlimit(120)',
  'import re; re._cache.clear(); re.enum.sys.modules["math"] = re; re.compile = None',
  'import random; random.seed(5); random.random = lambda: 4; random.Random.shuffle = None',
  'import decimal; decimal.getcontext().prec = 3; decimal.DefaultContext.prec = 2',
  'import json; json.dumps = json.encoder.JSONEncoder.default = lambda *a: 1',
  'import enum; enum.Flag.__invert__ = enum.EnumType.__call__ = None',
  'import dataclasses; dataclasses._process_class = None; dataclasses.MISSING = 3',
  'import functools; functools.lru_cache = lambda f: f; functools._CacheInfo = 1',
  'import collections.abc as c; [k.register(list, int) for k in (c.Mapping, c.Callable)]',
  'import typing; typing.get_type_hints = None; typing._cleanups.clear()',
  'for i in range(300): (1).__class__; str(i) * 9; {i: object()}; type("T%d" % i, (), {})',
  'l = [bytearray(i * 97) for i in range(300)]; d = {str(i): l for i in range(200)}',
  'x = "k" * 70000; y = [x + str(i) for i in range(9)]; z = 3 ** 9000',
  'class D:\n  def __del__(self): globals()["D"]()\nD(); q = [D()]; q.append(q)',
  'import array; a = array.array("q", range(3000)); E = type("E", (), {"__index__": lambda s: (a.__delitem__(slice(None)), 1)[1]}); a[2999] = E()',
  'b = bytearray(b"x" * 5000); E = type("E", (), {"__index__": lambda s: (b.clear(), 65)[1]}); b[4000] = E()',
  'import heapq; heapq.heapify.__self__; heapq.merge.__code__ = f.__code__',
  'import sys; [sys.intern("name%d" % i) for i in range(400)]; sys.stdout.close()',
  'import json; json.codecs.register_error("strict", lambda e: ("", 9)); json.codecs.register(lambda n: None)',
  'def r(n): return r(n + 1)\ntry: r(0)\nexcept RecursionError: pass',
  'import datetime; datetime.datetime.strptime("1", "%d"); import calendar',
  'g = (i for i in range(10 ** 9)); next(g); w = [iter(range(9)) for _ in range(99)]; [next(i) for i in w]',
] as const;
const FINAL_LINES = [
  'return a + b', 'while True: pass', 'return [0] * 10 ** 9', 'raise SystemExit', 'return f(a, b)', 'print("x" * 9999); return {1: f}',
  'import re; re.search("a*b", "a" * 10 ** 5)', 'import re; re.enum.sys.modules["posix"]._exit(0)', 'del a, b; return a', 'return b"x" * 10 ** 7 * 10 ** 4',
] as const; // biome-ignore format: a list

const ATTACKS = Object.values(ALL_ATTACKS).flat();
/** One program of a sequence: an honest program or an attack by its index, or a program composed of lines. */
type Item =
  | { readonly kind: 'honest' | 'attack'; readonly index: number }
  | {
      readonly kind: 'made';
      readonly tampers: readonly string[];
      readonly inside: boolean;
      readonly termination: string;
    };
interface Sequence {
  readonly items: readonly Item[];
}

const items: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ kind: fc.constant('honest' as const), index: fc.nat(HONEST.length - 1) }),
  fc.record({ kind: fc.constant('attack' as const), index: fc.nat(ATTACKS.length - 1) }),
  fc.record({
    kind: fc.constant('made' as const),
    tampers: fc.array(fc.constantFrom(...TAMPERS), { maxLength: 4 }),
    inside: fc.boolean(),
    termination: fc.constantFrom(...FINAL_LINES),
  }),
);

/** Creates a program of lines. If a line fails, the next line runs nevertheless. */
function createProgram({ tampers, inside, termination }: Extract<Item, { kind: 'made' }>): string {
  const lines = tampers.map((tamper) => `try: exec(${JSON.stringify(tamper)})\nexcept Exception: pass`).join('\n');
  const body = `${inside ? lines : ''}\n${termination}`.trim().replaceAll('\n', '\n  ');
  return `${inside ? '' : lines}\ndef f(a, b):\n  ${body}`;
}

const source = (item: Item) =>
  item.kind === 'made'
    ? createProgram(item)
    : item.kind === 'honest'
      ? HONEST[item.index]
      : ATTACKS[item.index].program;

/** Maximum number of steps: few, so that endless programs stop early, but enough for all honest programs. */
const FUEL = 20_000;
const start = async () => SandboxInterpreter.start(await createNodeSource().parts());
let used: Promise<SandboxInterpreter> | undefined;
const known = new Map<string, Promise<readonly Outcome[]>>();

function outcomes(worker: SandboxInterpreter, program: string): readonly Outcome[] {
  const inputs = [[9, 4], [9, 4], [12, 5]]; // biome-ignore format: short
  return worker.run({ program, entry: 'f', inputs, limits: { ...LIMITS, fuel: FUEL } }).outcomes;
}

/** Returns the outcomes of an honest program that is the first program of its interpreter. */
function fresh(program: string): Promise<readonly Outcome[]> {
  const result = known.get(program) ?? start().then((worker) => outcomes(worker, program));
  known.set(program, result);
  return result;
}

/** Fuzzer of sequences of hostile and honest programs in one interpreter. */
export const sequences: Fuzzer<Sequence> = {
  name: 'sequences',
  about: 'sequences of hostile and honest Python programs, compared with a fresh interpreter',
  caseCount: 8,
  cases: fc.record({ items: fc.array(items, { minLength: 2, maxLength: 12 }) }),
  async checkCase({ items }) {
    used ??= start();
    const worker = await used;
    for (const [position, item] of items.entries()) {
      const actual = outcomes(worker, source(item));
      if (item.kind !== 'honest') continue;
      const before = items.slice(0, position).map(source).join('\n----\n');
      assert.deepEqual(actual, await fresh(source(item)), `after\n${before}\n----\n${source(item)}`);
      assert(
        actual.every(({ kind }) => kind === 'value'),
        JSON.stringify(actual),
      );
    }
  },
};
