import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENVIRONMENT_NAMES } from '../../../src/environments/registry.ts';
import { root, sourceFiles } from '../../files.ts';
import { namedEnvironments } from './environmentNames.ts';

/** Differences between environments are properties of the environments (EnvironmentDescriptor). */
test('no code outside src/environments compares environment names or has a table by environment name', () => {
  const paths = sourceFiles();
  const matches = paths
    .filter((path) => !path.startsWith('src/environments/'))
    .map(
      (path) =>
        [path, namedEnvironments(path, readFileSync(join(root, path), 'utf8'), ENVIRONMENT_NAMES).length] as const,
    )
    .filter(([, count]) => count > 0);
  expect(matches).toEqual([]);
});

test.each([
  ["if (name === 'repair') start();", [1]],
  ["const is = 'repo' !== environment.name;", [1]],
  ["switch (name) {\n  case 'search':\n    start();\n}", [2]],
  ['const STEPS = { search: 120, repair: 50 };', [1]],
  ["const STEPS = {\n  'search': 120,\n  ...{ repo: 80 },\n};", []],
  ["const preset = { environment: 'repair' };", []],
])('namedEnvironments of %s returns the lines %j', (source, lines) => {
  expect(namedEnvironments('src/a.ts', source, ENVIRONMENT_NAMES)).toEqual(lines);
});
