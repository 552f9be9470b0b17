import { expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { shaderText } from '../../../src/gpu/shaderLibrary.ts';
import { filesUnder } from '../../files.ts';
import { testDevice } from '../device.ts';

async function problems(code: string): Promise<string[]> {
  const device = await testDevice();
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  return messages.map(({ type, lineNum, linePos, message }) => `${lineNum}:${linePos} ${type}: ${message}`);
}

test('every shader compiles with its imported parts without a warning', async () => {
  const shaders = filesUnder('shaders', '.wgsl');
  const errors: string[] = [];
  for (const path of shaders) {
    const { code } = shaderText(nodeShaderLibrary(), path.replace(/^shaders\/|\.wgsl$/g, ''));
    errors.push(...(await problems(code)).map((problem) => `${path}:${problem}`));
  }
  expect(errors).toEqual([]);
});

test('the check reports the line of an error in a shader', async () => {
  expect((await problems('@compute @workgroup_size(1)\nfn main() { let x: f32 = 1u; }'))[0]).toMatch(/^2:\d+ error/);
});
