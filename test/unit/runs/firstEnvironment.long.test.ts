import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, checkTypes, follow, runIn } from '../../tutorial.ts';

const HEADING = 'Your first environment';
const folder = mkdtempSync(join(tmpdir(), 'turnwise-first-environment-'));
afterAll(() => rmSync(folder, { recursive: true }));

const turnwise = (line: string) => runIn(folder, 'src/cli/main.ts', ...line.split(' '));

describe('the steps of CONTRIBUTING.md, on a copy of the repository', () => {
  beforeAll(() => follow(HEADING, folder));

  test('the environment of CONTRIBUTING.md has two new files and a line in the registry', () => {
    expect(blocksOf(HEADING).map(({ file }) => file)).toEqual([
      'src/environments/echo/index.ts',
      'src/environments/echo/open.ts',
      'src/environments/registry.ts',
    ]);
    checkTypes(folder);
  });

  test('a policy learns in the environment of CONTRIBUTING.md', () => {
    const lines = turnwise('train --environment echo --rule mt-grpo --seed 1 --steps 40').trim().split('\n');
    const updates = lines.map((line) => JSON.parse(line));
    expect(updates.map(({ step }) => step)).toEqual(Array.from({ length: 40 }, (_, step) => step));
    // One of six tokens is right, so a random policy is right in about 1/6 of the turns.
    expect(updates[0].first).toBeLessThan(0.4);
    expect(updates[39].first).toBeGreaterThan(0.9);
    expect(updates[39].second).toBeGreaterThan(0.9);
  });

  test('the environment of CONTRIBUTING.md supports the command compare', () => {
    const output = turnwise(
      'compare --environment echo --rules mt-grpo,grpo-or --seeds 1 --steps 2 --episodes 8 --questions 2 --json found.json',
    );
    expect(output).toMatch(/^arm +seeds +First turn right, measured/);
    expect(output).toMatch(/^base +1 .*\nmt-grpo +1 .*\ngrpo-or +1 /m);
    expect(turnwise('rules grpo-or')).toContain('GRPO-OR');
  });
});
