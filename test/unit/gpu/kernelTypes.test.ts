import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelTypes } from '../../../scripts/kernelTypes.ts';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { workgroupOf } from '../../../src/gpu/kernel.ts';
import { PLAIN, SUBGROUPS } from '../../../src/policy/kernels.ts';
import { filesUnder, root } from '../../files.ts';

const names = filesUnder('shaders', '.wgsl').map((path) => path.replace(/^shaders\/|\.wgsl$/g, ''));

test('src/gpu/kernelTypes.ts matches the declarations of the shaders (if not: `npm run kernels`)', () => {
  const text = readFileSync(join(root, 'src/gpu/kernelTypes.ts'), 'utf8');
  expect(text).toBe(kernelTypes(nodeShaderLibrary(), names));
  expect(text).toContain("'policy/swiglu': { sides: [64, 1, 1], defaults: {} }");
});

test('kernelTypes writes bindings, uniforms, constants and workgroup of a kernel, and no type for a shader part', () => {
  const source = `
    override LANES: u32 = 8;
    struct Params { count: u32 }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;
    @compute @workgroup_size(2, LANES)
    fn main() {}`;
  const text = kernelTypes((name) => (name === 'a/part' ? 'fn part() {}' : source), ['a/part', 'a/kernel']);
  expect(text).toContain("readonly 'a/kernel': Declared<{ sums: Write<'atomic<u32>'> },\n    'count', 'LANES'>;");
  expect(text).toContain("'a/kernel': { sides: [2, 'LANES', 1], defaults: { LANES: 8 } },");
  expect(text).not.toContain('a/part');
});

test('workgroupOf returns the workgroup size for the constants of a kernel, and throws for an unknown kernel', () => {
  expect(workgroupOf('policy/smear_backward')).toEqual([16, 4, 1]);
  expect(workgroupOf('policy/sample')).toEqual([32, 1, 1]);
  expect(() => workgroupOf('credit/new' as 'policy/sample')).toThrow('kernel "credit/new": run npm run kernels');
  expect(workgroupOf('policy/truncate', { LANES: 8 })).toEqual([8, 1, 1]);
  expect(workgroupOf('credit/group_scale', { LANES: 1 })).toEqual([64, 1, 1]);
});

test('the tile sizes of matrix kernels follow from their workgroup sizes', () => {
  expect(PLAIN).toEqual({ suffix: '', rows: 128, columns: 8, weightInputs: 64, weightOutputs: 64 });
  expect(SUBGROUPS).toEqual({ suffix: '_subgroup', rows: 128, columns: 16, weightInputs: 64, weightOutputs: 32 });
});

test('identifiers in shaders are in camelCase, and constants in capitals', () => {
  const declared =
    /\b(?:fn|let|var(?:<[^>]*>)?|const|override|struct)\s+(\w+)|\b(\w+)\s*:\s*(?:u32|i32|f32|bool|vec|array|ptr)/g;
  const odd = names.flatMap((name) => {
    const code = nodeShaderLibrary()(name).replace(/\/\/.*$/gm, '');
    const all = [...code.matchAll(declared)].map(([, first, second]) => first ?? second);
    expect(all.length, name).toBeGreaterThan(0);
    return all
      .filter((identifier) => /[a-z0-9]_[a-zA-Z0-9]/.test(identifier))
      .map((identifier) => `${name}: ${identifier}`);
  });
  expect(odd).toEqual([]);
});
