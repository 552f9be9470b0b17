import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Import, importsOf } from '../house/imports.ts';

const ROOT = 'src/credit/';

/** Layers of src/credit and the other layers that each may import. A layer is a folder; other files are layer ''. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  arithmetic: [],
  gpu: ['arithmetic'],
  explanation: ['arithmetic'],
  rules: ['arithmetic', 'gpu'],
  explained: ['arithmetic', 'explanation', 'rules'],
};

/** Files that each layer may import: the error and the definition of a rule. Arithmetic may import only the error. */
const RULE = ['creditError.ts', 'rule.ts'];

const imports = sources().flatMap((path) =>
  importsOf(path, readFileSync(path, 'utf8')).filter(({ to }) => to.startsWith(ROOT)),
);

function sources(): string[] {
  const paths = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  return paths.filter((path) => path.endsWith('.ts')).map((path) => ROOT + path);
}

function findLayer(path: string): string {
  return /^([^/]+)\//.exec(path.slice(ROOT.length))?.[1] ?? '';
}

function upward({ from, to }: Import): boolean {
  const [source, target] = [findLayer(from), findLayer(to)];
  if (source === '' || source === target) return false;
  if (target !== '') return !LAYERS[source].includes(target);
  const known = source === 'arithmetic' ? RULE.slice(0, 1) : RULE;
  return !known.includes(to.slice(ROOT.length));
}

test('each folder of src/credit is a layer, and no layer imports a layer above it', () => {
  expect(sources()).not.toEqual([]);
  expect(new Set(sources().map(findLayer))).toEqual(new Set(['', ...Object.keys(LAYERS)]));
  expect(imports.filter(upward).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});
