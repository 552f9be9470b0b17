import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { standardMix } from '../../bench/sandboxMix.ts';
import { Guest } from '../../src/sandbox/guest/guest.ts';
import type { Image } from '../../src/sandbox/guest/image.ts';
import { makeSnapshot } from '../../src/sandbox/guest/snapshot.ts';
import { packImage, unpackImage } from '../../src/sandbox/host/imageFile.ts';
import { nodePlace } from '../../src/sandbox/host/node.ts';
import { makeImage } from '../../src/sandbox/host/pythonImage.ts';
import { pyodideFile, pythonModule } from '../../src/sandbox/host/pythonModule.ts';
import { MARKS } from '../../src/sandbox/moduleLayout.ts';
import { LIMITS } from '../../src/sandbox/types.ts';

// An interpreter that was started the long way, in this thread, and the image that was made of it.
const wasm = new WebAssembly.Module(new Uint8Array(readFileSync(pythonModule())));
const library = new Uint8Array(pyodideFile('python_stdlib.zip'));
let started: Guest;
let image: Image;
beforeAll(async () => {
  ({ guest: started, image } = await makeSnapshot({ wasm, library, memory: MARKS.memory }));
});

function expectSame(one: Image, other: Image): void {
  expect({ ...one, memory: one.memory.length }).toEqual({ ...other, memory: other.memory.length });
  // Comparing 24 MB element by element would take minutes.
  expect(Buffer.compare(one.memory, other.memory)).toBe(0);
}

test('the image that workers start from is the same when it is made anew', async () => {
  const { image: kept } = await nodePlace().parts();
  expectSame(await makeImage(), kept);
});

test('from its image an interpreter goes on as it does from the long start', async () => {
  const resumed = await Guest.start({ wasm, image, memory: MARKS.memory });
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

test('nothing of JavaScript stands in the table of an interpreter that comes from an image', async () => {
  const resumed = await Guest.start({ wasm, image, memory: MARKS.memory });
  expect(resumed.hostImports.counts).toEqual({ ...started.hostImports.counts, table: 0 });
  expect(started.hostImports.counts.table).toBeGreaterThan(0);
});

test('an image comes through its file', () => {
  expectSame(unpackImage(new Uint8Array(packImage(image))), image);
});
