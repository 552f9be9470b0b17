import { readFile } from 'node:fs/promises';
import { resolveConfig } from 'vite';
import { expect, test } from 'vitest';
import { exactKernels } from '../../../../scripts/plugins/exactKernels.ts';
import { compiledKernels } from '../../../../src/engine/exact/compile.ts';

test('the exact kernels compile once to a valid module without imports, which the page loads by URL', async () => {
  const path = await compiledKernels();
  expect(await compiledKernels()).toBe(path);
  const module = await WebAssembly.compile(await readFile(path));
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  expect(WebAssembly.Module.exports(module).map(({ name }) => name)).toContain('product');
  const { resolve } = await resolveConfig({ configFile: false, plugins: [exactKernels()] }, 'build');
  const alias = resolve.alias.find(({ find }) => find instanceof RegExp && find.test('virtual:exact.wasm?url'));
  expect(alias?.replacement).toBe(path);
});
