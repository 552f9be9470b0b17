import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { turnwise } from '../cliTerminal.ts';
import { path } from './folder.ts';

test('sharing of states is measured on the same rollouts at every group size and granularity', async () => {
  const json = path('sharing');
  const { code, out } = await turnwise(
    `evaluate --environment repo --problems 3 --sharing 4,2 --samples 2 --json ${json}`,
  );
  const { episodes, sharing } = JSON.parse(readFileSync(json, 'utf8'));
  expect([code, episodes, sharing.rollouts, sharing.sizes]).toEqual([0, 12, 4, [2, 4]]);
  const share = (name: string) => sharing.shares[name].map(({ value }: { value: number }) => value);
  for (const name of ['history', 'paper', 'coarse', 'contents']) {
    const [two, four] = share(name);
    // All rollouts start in one state.
    expect(two).toBeGreaterThanOrEqual(episodes / sharing.steps - 1e-12);
    expect(four).toBeGreaterThanOrEqual(two);
    expect(four).toBeLessThanOrEqual(1);
  }
  // States that are equal by all actions are equal by the effects of the actions, and by their edits and results.
  expect(share('paper')[1]).toBeGreaterThanOrEqual(share('history')[1]);
  expect(share('coarse')[1]).toBeGreaterThanOrEqual(share('paper')[1]);
  expect(out).toMatch(/^states +G = 2, % +G = 4, %\nhistory +\d+\.\d \[/m);
});
