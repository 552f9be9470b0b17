import { SandboxInterpreter } from '../src/guest/sandboxInterpreter.ts';
import { createNodeSource } from '../src/host/node.ts';
import { LIMITS, type SandboxProgram, type Value } from '../src/types.ts';
import { POKE } from './attacksInterpreter.ts';

/** Starts an interpreter in the calling thread. */
export const startPython = async () => SandboxInterpreter.start(await createNodeSource().parts());

export const program = (source: string, inputs: readonly (readonly Value[])[] = [[20, 22]]): SandboxProgram => ({
  program: source,
  entry: 'f',
  inputs,
  limits: { ...LIMITS, fuel: 100_000 },
});

/** Programs with much work or many changes outside of their functions. */
export const BODIES = [
  'import random\nprint("once")\nx = [random.random() for _ in range(99)]\ndef f(a, b):\n  print(x.pop(), len(x), random.random())\n  return a + b',
  'import decimal\ndecimal.getcontext().prec = 400\nd = decimal.Decimal(7)\ndef f(a, b): return [str(d.sqrt()) != "", a, b]',
  'big = bytearray(20_000_000)\nl = [0] * 300_000\ndef f(a, b):\n  big[7] += 1; l.append(1)\n  return [big[7], len(l)]',
  'class C:\n  made = 0\n  def __init__(self): C.made += 1\n  def g(self, a, b):\n    C.made += a\n    return C.made',
  `${POKE}\nfor i in range(0, 4096, 4): put(4096000 + 14000 + i, 0)\ndef f(a, b):\n  global POKED\n  POKED = [a, b]\n  return POKED`,
  `${POKE}\nput(id(5) + 12, 7)\ndef f(a, b): return [5, a, b]`,
  'raise ValueError(3)',
  'while True: pass',
  'x = [0] * 10**8\ndef f(a, b): return 1',
  'import re\nre.match("(a*)*b", "a" * 40)\ndef f(a, b): return 1',
  'def g(a, b): return 1',
];

/** Creates a program whose state after its definitions is stored for later calls, unless `isStored` is false. */
export const retained = (source: string, input: readonly Value[] = [1, 2], isStored = true): SandboxProgram => ({
  ...program(source, [input]),
  entry: source.includes('class C') ? 'C.g' : 'f',
  retain: isStored,
});
