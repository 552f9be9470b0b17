import { describe, expect, test } from 'vitest';
import { shaderInterface, shaderText, workgroupSize } from '../../../src/gpu/shaderLibrary.ts';

const FILES: Readonly<Record<string, string>> = {
  kernel: '// with part\n// with other\nenable subgroups;\nfn main() {}\n',
  part: '// with other\nenable subgroups;\nfn part() {}\n',
  other: 'enable f16;\nfn other() {}\n',
  alone: 'fn alone() {}\n',
};

/** Returns the text of a shader. Throws if there is no such file, as every shader library does. */
function library(name: string): string {
  if (!(name in FILES)) throw new Error(`there is no shader "${name}"`);
  return FILES[name];
}

test('a shader without parts is used unchanged', () => {
  expect(shaderText(library, 'alone').code).toBe(FILES.alone);
});

test('shaderText appends each part once after the kernel, and moves enable directives to the start', () => {
  const { code } = shaderText(library, 'kernel');
  expect(code.match(/fn \w+/g)).toEqual(['fn main', 'fn part', 'fn other']);
  expect(code.startsWith('enable subgroups; enable f16;')).toBe(true);
  expect(code.match(/enable/g)).toHaveLength(2);
});

test('locate maps each line of a combined shader to its file and line number', () => {
  const text = shaderText(library, 'kernel');
  const lines = text.code.split('\n');
  const locate = (line: string) => text.locate(lines.indexOf(line) + 1);
  expect(locate('fn main() {}')).toBe('shaders/kernel.wgsl:4');
  expect(locate('fn part() {}')).toBe('shaders/part.wgsl:3');
  expect(locate('fn other() {}')).toBe('shaders/other.wgsl:2');
});

test('shaderText throws an error that names a missing part', () => {
  expect(() => shaderText((name) => (name === 'kernel' ? '// with nothing\n' : library(name)), 'kernel')).toThrow(
    'there is no shader "nothing"',
  );
});

describe('shader declarations', () => {
  const declared = shaderInterface(`
    override LANES: u32 = 32;
    override SEQUENCES: u32 = 1u;
    override SMEAR: bool = true;
    const WIDTH = 4u;
    struct Params { count: u32, shift: i32, factor: f32 }
    @group(0) @binding(0) var<uniform> params: Params; // not: @binding(9) var<storage> other: array<f32>;
    @group(0) @binding(2) var<storage, read> rows: array<vec4u>;
    @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
    @compute @workgroup_size(LANES, WIDTH)
    fn main() {}`);

  test('shaderInterface returns bindings with their element types, uniforms and constants', () => {
    expect(declared.bindings).toEqual([
      { name: 'params', binding: 0, type: 'uniform', element: 'Params' },
      { name: 'rows', binding: 2, type: 'read-only-storage', element: 'vec4u' },
      { name: 'counts', binding: 1, type: 'storage', element: 'atomic<u32>' },
    ]);
    expect(declared.uniforms.map(({ name, type, offset }) => [name, type, offset])).toEqual([
      ['count', 'u32', 0],
      ['shift', 'i32', 1],
      ['factor', 'f32', 2],
    ]);
    expect(declared.constants).toEqual(['LANES', 'SEQUENCES', 'SMEAR']);
  });

  test('workgroupSize evaluates a workgroup size that depends on constants', () => {
    const workgroup = declared.workgroup ?? expect.fail('no workgroup');
    expect(workgroup).toEqual({ sides: ['LANES', 4, 1], defaults: { LANES: 32 } });
    expect(workgroupSize(workgroup)).toEqual([32, 4, 1]);
    expect(workgroupSize(workgroup, { LANES: 1, SEQUENCES: 8, SMEAR: 0 })).toEqual([1, 4, 1]);
  });

  test('shaderInterface returns no workgroup for a part, and throws for an expression or unknown name as its size', () => {
    expect(shaderInterface('fn part() {}').workgroup).toBeUndefined();
    expect(() => shaderInterface('@compute @workgroup_size(2 + 2)\nfn main() {}')).toThrow(
      'workgroup size: "2 + 2" is neither',
    );
    expect(() => shaderInterface('@compute @workgroup_size(SIZE)\nfn main() {}')).toThrow('"SIZE" is neither');
  });
});
