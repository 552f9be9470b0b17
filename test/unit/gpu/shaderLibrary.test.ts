import { expect, test } from 'vitest';
import { shaderText } from '../../../src/gpu/shaderLibrary.ts';

const FILES: Readonly<Record<string, string>> = {
  kernel: '// with part\n// with other\nenable subgroups;\nfn main() {}\n',
  part: '// with other\nenable subgroups;\nfn part() {}\n',
  other: 'enable f16;\nfn other() {}\n',
  alone: 'fn alone() {}\n',
};

/** @throws where there is no such file, as every library does */
function library(name: string): string {
  if (!(name in FILES)) throw new Error(`there is no shader "${name}"`);
  return FILES[name];
}

test('a shader without parts is taken as it is', () => {
  expect(shaderText(library, 'alone').code).toBe(FILES.alone);
});

test('parts follow their kernel, each once, and what they enable comes first', () => {
  const { code } = shaderText(library, 'kernel');
  expect(code.match(/fn \w+/g)).toEqual(['fn main', 'fn part', 'fn other']);
  expect(code.startsWith('enable subgroups; enable f16;')).toBe(true);
  expect(code.match(/enable/g)).toHaveLength(2);
});

test('every line is told by its own file', () => {
  const text = shaderText(library, 'kernel');
  const lines = text.code.split('\n');
  const placeOf = (wanted: string) => text.place(lines.indexOf(wanted) + 1);
  expect(placeOf('fn main() {}')).toBe('shaders/kernel.wgsl:4');
  expect(placeOf('fn part() {}')).toBe('shaders/part.wgsl:3');
  expect(placeOf('fn other() {}')).toBe('shaders/other.wgsl:2');
});

test('a part that there is not is an error that names it', () => {
  expect(() => shaderText((name) => (name === 'kernel' ? '// with nothing\n' : library(name)), 'kernel')).toThrow(
    'there is no shader "nothing"',
  );
});
