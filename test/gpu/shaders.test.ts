import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, root } from '../files.ts';
import { testDevice } from './device.ts';

async function problems(code: string): Promise<string[]> {
  const device = await testDevice();
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  return messages.map(({ type, lineNum, linePos, message }) => `${lineNum}:${linePos} ${type}: ${message}`);
}

test('every shader compiles as it stands, without a warning', async () => {
  const shaders = filesUnder('shaders', '.wgsl');
  const found: string[] = [];
  for (const path of shaders) {
    const code = readFileSync(join(root, path), 'utf8');
    found.push(...(await problems(code)).map((problem) => `${path}:${problem}`));
  }
  expect(found).toEqual([]);
});

test('a broken shader would be noticed, with its line', async () => {
  expect((await problems('@compute @workgroup_size(1)\nfn main() { let x: f32 = 1u; }'))[0]).toMatch(/^2:\d+ error/);
});
