import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRunFile } from '../../src/storage/runFile.ts';
import { pause, readRun, readWhen, STACKED, scrollToChart, untilStatus, untilStep, waitUntilSaved } from './app.ts';
import { openPage } from './chromium.ts';
import { inStorage, ofThePage } from './inStorage.ts';

test('a long run opens with a downsampled curve, which the chart states, and is exported completely', async () => {
  const { page, errors, close } = await openPage(STACKED);
  await untilStep(page, 2);
  const { step } = await pause(page);
  await waitUntilSaved(page, step);
  await inStorage(page, async () => {
    const opening = indexedDB.open('turnwise');
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const writing = opening.result.transaction(['summaries', 'runs', 'pages'], 'readwrite');
    const [summaries, runs, pages] = ['summaries', 'runs', 'pages'].map((name) => writing.objectStore(name));
    const long = 12_345;
    summaries.openCursor().onsuccess = ({ target }) => {
      const cursor = (target as IDBRequest<IDBCursorWithValue | null>).result;
      if (!cursor) return;
      const { id } = cursor.value;
      cursor.update({ ...cursor.value, step: long });
      runs.get(id).onsuccess = (event) => {
        runs.put({ ...(event.target as IDBRequest).result, step: long }, id);
      };
      pages.get([id, 0]).onsuccess = (event) => {
        const [row] = (event.target as IDBRequest).result;
        for (let from = 0; from < long; from += 1000) {
          const count = Math.min(1000, long - from);
          pages.put(
            Array.from({ length: count }, (_, index) => ({ ...row, step: from + index })),
            [id, from / 1000],
          );
        }
      };
    };
    await new Promise((resolve) => {
      writing.oncomplete = resolve;
    });
    opening.result.close();
  });
  await page.getByText('Your run was resumed, paused at step 12345.').waitFor();
  await untilStatus(page, 'paused');
  const opened = await readWhen(
    () => readRun(page),
    ({ metrics }) => metrics.length > 0,
  );
  expect(opened.metrics.length).toBeLessThan(4097);
  const chart = await scrollToChart(page);
  await chart.getByText(/^before update \d+: one update in \d+$/).waitFor();
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await waitUntilSaved(page, 12_346);
  const [curves] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Curves (CSV)' }).click(),
  ]);
  const lines = readFileSync(await curves.path(), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(lines).toHaveLength(12_347);
  expect(lines.at(-1)).toMatch(/^12345,/);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export run' }).click(),
  ]);
  const saved = readRunFile(readFileSync(await file.path(), 'utf8'));
  expect([saved.step, saved.metrics.length, saved.downsampled]).toEqual([12_346, 12_346, undefined]);
  expect(errors.filter(ofThePage)).toEqual([]);
  await close();
});
