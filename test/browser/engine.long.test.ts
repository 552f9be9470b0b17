import { expect, test } from 'vitest';
import {
  curveOf,
  eventually,
  openSettings,
  pause,
  readRun,
  SMALL,
  untilStatus,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { openPage } from './chromium.ts';

test('a run keeps its updates when it changes from the processor to WebGPU and back, and after a reload', async () => {
  const { page, errors, close } = await openPage(SMALL, { real: true });
  const engine = page.getByRole('combobox', { name: 'Engine' });
  await untilStep(page, 3);
  let { metrics, step } = await pause(page);
  for (const [label, text, name] of [
    ['WebGPU', 'software renderer', 'wgsl'],
    ['Processor', 'exact, on the processor', 'exact/1'],
  ] as const) {
    await openSettings(page);
    await engine.selectOption(label);
    await page.getByText(text).waitFor();
    await untilStatus(page, 'paused');
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await untilStep(page, step + 1);
    await untilStatus(page, 'paused');
    const after = await readRun(page);
    expect(curveOf(after.metrics.slice(0, step))).toEqual(curveOf(metrics));
    expect([after.step, after.configuration.engine, after.metrics.at(-1)?.loss]).toEqual([
      step + 1,
      name,
      expect.any(Number),
    ]);
    ({ metrics, step } = after);
  }
  const { events } = await readRun(page, 'events');
  expect(events.map(({ kind, text }) => [kind, text])).toEqual([
    ['engine', 'engine: exact/1 → wgsl'],
    ['engine', 'engine: wgsl → exact/1'],
  ]);
  await waitUntilSaved(page, step);
  await page.reload();
  await untilStatus(page, 'paused');
  await eventually(async () => curveOf((await readRun(page, 'metrics')).metrics)).toEqual(curveOf(metrics));
  await eventually(async () => (await readRun(page, 'events')).events.length).toBe(2);
  expect(errors).toEqual([]);
  await close();
});
