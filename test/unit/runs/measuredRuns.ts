import { expect } from 'vitest';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import type { Run } from '../../../src/training/run/run.ts';
import { timeless } from '../../timeless.ts';
import { type Controls, runWithControls } from './startedTestRun.ts';

export async function updates(run: Run, count: number): Promise<Metrics[]> {
  const rows: Metrics[] = [];
  for (let update = 0; update < count; update++) rows.push(await (await run.update()).metrics);
  return rows;
}

export const isMeasured = ({ heldOut }: Metrics) => heldOut !== null;
export const curve = (metrics: readonly Metrics[]) => metrics.map((row) => ({ ...timeless(row), heldOut: null }));

export const SMALL: Readonly<Record<'search' | 'repair' | 'repo', Controls>> = {
  search: { questions: 2, groupSize: 4 },
  repair: { programs: 16, groupSize: 4, rule: 'verpo' },
  repo: { questions: 1, groupSize: 4, filterUniform: 'off', rule: 'grpo-step' },
};
export const MEASURED = { heldOutMode: 'on', heldOutEvery: 2, heldOutTasks: 8 };

/** Expects that a run with held-out measurements has the curve of a run without them. */
export async function expectSameRunMeasured(environment: keyof typeof SMALL): Promise<void> {
  const plain = await updates(await runWithControls(environment, { ...SMALL[environment], heldOutMode: 'off' }), 3);
  const run = await runWithControls(environment, { ...SMALL[environment], ...MEASURED });
  const measured = await updates(run, 3);
  expect(curve(measured)).toEqual(curve(plain));
  expect(plain.map(({ heldOut }) => heldOut)).toEqual([null, null, null]);
  expect(measured.map(isMeasured)).toEqual([true, false, true]);
  for (const { heldOut } of measured) {
    if (!heldOut) continue;
    expect(Object.keys(heldOut)).toEqual(ENVIRONMENTS[environment].heldOut.map(({ name }) => name));
    for (const [name, share] of Object.entries(heldOut)) {
      // Each of eight tasks is right or wrong. `repaired` is a share of the tasks whose first program is wrong.
      const of = name === 'repaired' ? 8 * (1 - Number(heldOut.iter1)) : 8;
      expect(Number(share) * of).toBeCloseTo(Math.round(Number(share) * of), 9);
    }
  }
}
