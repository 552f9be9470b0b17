import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { copyRepository, runIn } from '../../tutorial.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-new-rule-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('after `rules --new` types, linter, unused code and all unit tests pass', () => {
  copyRepository(folder);
  runIn(folder, 'src/cli/main.ts', 'rules', '--new', 'first-rule-of-all');
  runIn(folder, 'scripts/kernels.ts');
  runIn(folder, 'src/cli/main.ts', 'rules', '--docs', 'docs/rules');
  runIn(folder, 'scripts/test.mjs', 'check');
  runIn(folder, 'node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--exclude', '**/*.long.test.ts');
}, 1_800_000);
