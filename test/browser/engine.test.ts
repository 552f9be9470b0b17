import { expect, test } from 'vitest';
import { curveOf, eventually, pause, readLanes, readRun, SMALL, untilKept, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { findings } from './findings.ts';

test('the engine control continues the run on the other engine, and the link and storage name it', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await untilStep(page, 2);
  await page.waitForURL((url) => url.searchParams.get('engine') === 'wgsl');
  const { metrics, step } = await pause(page);
  const engine = page.getByRole('combobox', { name: 'Engine' });
  await eventually(() => engine.inputValue()).toBe('wgsl');
  await engine.selectOption('Processor');
  await page.getByText('exact, on the processor: the same numbers on every machine').waitFor();
  await untilStatus(page, 'paused');
  await eventually(async () => (await readRun(page)).events.map((event) => [event.step, event.kind])).toEqual([
    [step, 'engine'],
  ]);
  await page.getByRole('row', { name: `${step} engine: wgsl → exact/1` }).waitFor();
  await page.waitForURL((url) => url.searchParams.get('engine') === 'exact/1');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilKept(page, step + 1);
  const after = await readRun(page);
  expect(curveOf(after.metrics.slice(0, step))).toEqual(curveOf(metrics));
  expect(after.notices).toEqual([]);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${step + 1}.`).waitFor();
  await eventually(async () => (await readRun(page)).configuration.engine).toBe('exact/1');
  await eventually(() => engine.inputValue()).toBe('exact');
  await eventually(() => findings(page, 'dark', 320)).toEqual([]);
  await eventually(() => findings(page, 'light', 1280)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

test('a link chooses the engine of all its runs, and an unknown engine is explained', async () => {
  const { page, close } = await openPage(`${SMALL}&engine=exact&runs=rule=grpo-or`);
  await page.getByText('exact, on the processor').waitFor();
  await eventually(async () => (await readLanes(page)).length).toBe(2);
  await page.waitForURL(
    (url) => url.searchParams.get('engine') === 'exact/1' && url.searchParams.get('runs') === 'rule=grpo-or',
  );
  await close();
  const unknown = await openPage(`${SMALL}&engine=cuda`);
  await unknown.page.getByText('engine: there is no “cuda”').waitFor();
  await untilStep(unknown.page, 1);
  await unknown.close();
});
