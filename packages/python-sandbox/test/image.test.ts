import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { Image } from '../src/guest/image.ts';
import type { Interpreter } from '../src/guest/interpreter.ts';
import { SandboxInterpreter } from '../src/guest/sandboxInterpreter.ts';
import { createSnapshot } from '../src/guest/snapshot.ts';
import { packImage, unpackImage } from '../src/host/imageFile.ts';
import { pyodideFile, pythonModule } from '../src/host/pythonFiles.ts';
import { LIMITS } from '../src/types.ts';
import { standardMix } from './standardMix.ts';

// An interpreter that is started without an image in this thread, and the image that is created from it.
const wasm = new WebAssembly.Module(new Uint8Array(readFileSync(pythonModule())));
const library = new Uint8Array(pyodideFile('python_stdlib.zip'));
let started: SandboxInterpreter;
let image: Image;
beforeAll(async () => {
  ({ interpreter: started, image } = await createSnapshot({ wasm, library }));
});

function expectSame(actual: Image, expected: Image): void {
  expect({ ...actual, memory: actual.memory.length }).toEqual({ ...expected, memory: expected.memory.length });
  // Comparing 24 MB element by element would take minutes.
  expect(Buffer.compare(actual.memory, expected.memory)).toBe(0);
}

test('an interpreter started from an image has the results of one started without an image', async () => {
  const resumed = await SandboxInterpreter.start({ wasm, image });
  const programs = standardMix(20).map(({ program, entry, tests }) => ({
    ...{ program, entry, limits: LIMITS },
    inputs: tests.map(({ args }) => args),
  }));
  const hard = {
    ...{ entry: 'f', limits: LIMITS, inputs: [[1], [2]] },
    program:
      'import time, re, decimal, dataclasses\n@dataclasses.dataclass\nclass P:\n  x: list\n' +
      'def f(n):\n  s = "é" * 5_000_000 * n\n  print(time.gmtime(1e9), time.mktime(time.gmtime(86400)), P([n]))\n' +
      '  return [len(s), str(decimal.Decimal(2).sqrt()), re.sub("a+", "b", "caat"), {1: (2.5, None)}]',
  };
  for (const program of [...programs, hard]) expect(resumed.run(program)).toEqual(started.run(program));
  expect(resumed.run(hard).outcomes[0]).toMatchObject({ kind: 'value' });
  resumed.restore();
  expect(resumed.pages.differing()).toEqual([]);
});

test('the table of an interpreter from an image has only four JavaScript functions, all of the sandbox', async () => {
  const resumed = await SandboxInterpreter.start({ wasm, image });
  const functionsOf = (interpreter: SandboxInterpreter) => {
    const { python } = interpreter as unknown as { python: Interpreter };
    const exported = new Set(Object.values(python));
    const entries = Array.from({ length: python.wasmTable.length }, (_, i) => python.wasmTable.get(i) as unknown);
    return entries.slice(first).filter((entry) => entry !== null && !exported.has(entry)).length;
  };
  const [first] = image.functions[0];
  expect(functionsOf(resumed)).toBe(4);
  expect(functionsOf(started)).toBeGreaterThan(4);
});

test('an image is unchanged after it is packed and unpacked', () => {
  expectSame(unpackImage(new Uint8Array(packImage(image))), image);
});
