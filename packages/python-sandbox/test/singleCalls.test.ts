import { beforeAll, expect, test } from 'vitest';
import { SandboxInterpreter } from '../src/guest/sandboxInterpreter.ts';
import { createNodeSource } from '../src/host/node.ts';
import { LIMITS } from '../src/types.ts';

let worker: SandboxInterpreter;
beforeAll(async () => {
  worker = await SandboxInterpreter.start(await createNodeSource().parts());
});

/** Calls of slow C code, with the number of repetitions and the minimum number of steps of one call. */
const CALLS: readonly (readonly [name: string, before: string, call: string, times: number, steps: number])[] = [
  ['deletion of the first of 1,000,000 list items', 'l = [0] * 1_000_000', 'del l[0]', 20, 2_700],
  ['insertion of an item before 1,000,000 list items', 'l = [0] * 1_000_000', 'l.insert(0, 1)', 20, 2_700],
  [
    'a copy of every second byte of 1,000,000 bytes',
    'm = memoryview(bytearray(1_000_000))[::2]',
    'bytes(m)',
    5,
    40_000,
  ],
  ['the hash of an int of 8,000,000 bits', 'x = 1 << 8_000_000', 'hash(x)', 20, 2_600],
  ['the square of an int of 300,000 bits', 'x = (1 << 300_000) - 1', 'x * x', 3, 20_000],
];

const million = (name: string, setup: string, calls: readonly string[]) =>
  calls.map((call) => [`${call} on ${name}`, setup, call, 20, 570] as const);

/** Methods and operators of arrays and bytearrays that read or move a million bytes. */
const OF_BYTES = [
  ...million('a bytearray', 'b = bytearray(1_000_000)\nc = bytearray(1_000_000)', [
    ...[
      'b.insert(0, 1)',
      'b.pop(0)',
      'b.remove(0)',
      'b.reverse()',
      'b.extend(c)',
      'b.copy()',
      'b + c',
      'b * 2',
      'bytes(b)',
      'b[::2]',
      'b[1:]',
      'b == c',
    ],
    ...[
      '1 in b',
      'b.count(1)',
      'b.find(1)',
      'b.rfind(b"ab")',
      'b.replace(b"a", b"b")',
      'b.split(b"a")',
      'b.splitlines()',
      'b.partition(b"a")',
    ],
    ...[
      'b.translate(None, b"a")',
      'b.strip(b"\\0")',
      'b.lower()',
      'b.swapcase()',
      'b.title()',
      'b.hex()',
      'b.decode()',
      'b.zfill(2_000_000)',
      'b.expandtabs()',
    ],
    ...['b.isascii()', 'b"".join([b, c])', 'repr(b)', 'b[::2] = c[::2]', 'b[0:0] = b"ab"', 'hash(bytes(b))'],
  ]),
  ...million('an array', 'from array import array\na = array("i", bytes(1_000_000))\nc = a[:]', [
    ...[
      'a.insert(0, 1)',
      'a.pop(0)',
      'a.remove(0)',
      'a.reverse()',
      'a.byteswap()',
      'a.extend(c)',
      'a.tobytes()',
      'a.tolist()',
      'a.frombytes(bytes(1_000_000))',
    ],
    ...[
      'a.fromlist([0] * 250_000)',
      'a.count(1)',
      'a == c',
      '1 in a',
      'a + c',
      'a * 2',
      'a[::2]',
      'a[1:]',
      'del a[0]',
      'a[0:0] = c',
      'repr(a)',
    ],
  ]),
];

test.each([...CALLS, ...OF_BYTES])('%s costs at least its minimum of steps', (_, before, call, times, steps) => {
  const fuel = (count: number) => {
    const program = `${before}\ndef f():\n  for _ in range(${count}): ${call}`;
    const [outcome] = worker.run({
      program,
      entry: 'f',
      inputs: [[]],
      limits: { ...LIMITS, fuel: 10_000_000 },
    }).outcomes;
    expect(outcome.kind).toBe('value');
    return outcome.fuel;
  };
  const [none, all] = [fuel(0), fuel(times)];
  expect((all - none) / times).toBeGreaterThanOrEqual(steps);
  expect(fuel(times)).toBe(all);
});
