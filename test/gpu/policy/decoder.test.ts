import { describe, expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import type { ShaderLibrary } from '../../../src/gpu/shaderLibrary.ts';
import { expectSameAsInference, GATE_SHAPES, openPolicy, withGpu } from './decoderRun.ts';
import { SHAPES } from './policyShapes.ts';

describe('a decoder gives the logits and the cache of the plain inference, bit for bit', () => {
  test.each(GATE_SHAPES)('%s', (_, config) => expectSameAsInference(config));
});

const SHAPE = SHAPES['heads of 16, 3 layers, value'];

/** The shaders, with one line of one of them changed. */
function broken(name: string, line: string, replacement: string): ShaderLibrary {
  const shaders = nodeShaderLibrary();
  if (!shaders(name).includes(line)) throw new Error(`${name} has no "${line}"`);
  return (wanted) => (wanted === name ? shaders(name).replaceAll(line, replacement) : shaders(wanted));
}

describe('a device gets no decoder', () => {
  test.each([
    ['without subgroups', { subgroups: false }],
    ['that is a graphics card', { software: false }],
  ])('%s', async (_, fields) => {
    await withGpu(nodeShaderLibrary(), async (gpu) => {
      expect((await openPolicy({ ...gpu, ...fields }, SHAPE)).decoder).toBeUndefined();
    });
  });

  test.each([
    ['loses a row of the weights', 'decode_matrices', 'parameters[high + own + k]', 'parameters[high + k]'],
    [
      'is wrong past the first workgroup',
      'decode_layer',
      'let row = ROWS_PER_LANE * id.x;',
      'let row = ROWS_PER_LANE * (id.x % LANES);',
    ],
    ['forgets the newest value', 'decode_attention', 'j <= position', 'j < position'],
  ])('on which it %s', async (_, part, line, replacement) => {
    await withGpu(broken(`policy/${part}`, line, replacement), async (gpu) => {
      expect((await openPolicy(gpu, SHAPE)).decoder).toBeUndefined();
    });
  });
});
