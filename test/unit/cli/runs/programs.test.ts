import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../files.ts';
import { turnwise } from '../cliTerminal.ts';
import { path } from './folder.ts';

const own = (name: string) => join(root, 'test/fixtures/own', name);

test('tasks of one’s own are trained and evaluated on', async () => {
  const tasks = `--tasks ${own('tasks.jsonl')}`;
  const json = path('own-tasks');
  const evaluated = await turnwise(`evaluate --environment repair ${tasks} --samples 3 --json ${json}`);
  expect(evaluated.out).toContain('1 held-out tasks, 3 episodes of each, one run.');
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ tasks: 1, samples: 3, split: 'held-out' });
  const trained = await turnwise(`train --environment repair --rule verpo --programs 16 --steps 1 ${tasks}`);
  expect(JSON.parse(trained.out)).toMatchObject({ step: 0, passRate: expect.any(Number) });
});

test('repositories of one’s own are trained and evaluated on', async () => {
  const repositories = `--repositories ${own('repositories.jsonl')}`;
  const json = path('own-repositories');
  const evaluated = await turnwise(`evaluate --environment repo ${repositories} --samples 2 --json ${json}`);
  expect(evaluated.out).toMatch(/^tasks +1\nepisodes +2\nsolved +[01]/m);
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ tasks: 1, episodes: 2, environment: 'repo' });
  const trained = await turnwise(`train --environment repo --questions 2 --groupSize 4 --steps 1 ${repositories}`);
  expect(JSON.parse(trained.out)).toMatchObject({ step: 0, tasks: 2 });
});

test('sharing of states is measured on the same rollouts at every size and granularity', async () => {
  const json = path('sharing');
  const { code, out } = await turnwise(
    `evaluate --environment repo --problems 3 --sharing 4,2 --samples 2 --json ${json}`,
  );
  const { episodes, sharing } = JSON.parse(readFileSync(json, 'utf8'));
  expect([code, episodes, sharing.rollouts, sharing.sizes]).toEqual([0, 12, 4, [2, 4]]);
  const share = (name: string) => sharing.shares[name].map(({ value }: { value: number }) => value);
  for (const name of ['history', 'paper', 'coarse', 'contents']) {
    const [two, four] = share(name);
    // All rollouts begin in one state.
    expect(two).toBeGreaterThanOrEqual(episodes / sharing.steps - 1e-12);
    expect(four).toBeGreaterThanOrEqual(two);
    expect(four).toBeLessThanOrEqual(1);
  }
  // What is equal by all actions is equal by what they did, and by its edits and results.
  expect(share('paper')[1]).toBeGreaterThanOrEqual(share('history')[1]);
  expect(share('coarse')[1]).toBeGreaterThanOrEqual(share('paper')[1]);
  expect(out).toMatch(/^states +G = 2, % +G = 4, %\nhistory +\d+\.\d \[/m);
});
