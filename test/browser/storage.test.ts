import { expect, test } from 'vitest';
import {
  eventually,
  openSettings,
  pause,
  readRun,
  SMALL,
  STACKED,
  untilStatus,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { openPage } from './chromium.ts';
import { inStorage, ofThePage } from './inStorage.ts';

const FAILURES = {
  'throws on opening': `Object.defineProperty(IDBFactory.prototype, 'open', { value() {
    throw new DOMException('access is denied here', 'SecurityError');
  } });`,
  'is missing': `Object.defineProperty(globalThis, 'indexedDB', { value: undefined });`,
  'never answers': `const { open } = IDBFactory.prototype;
    Object.defineProperty(IDBFactory.prototype, 'open', { value(...values) {
      return Object.assign(open.apply(this, values), { addEventListener() {} });
    } });`,
};
const REASONS = {
  'throws on opening': 'access is denied here',
  'is missing': 'no IndexedDB',
  'never answers': 'answer',
};

test.each(Object.entries(FAILURES))('if storage %s, the page reports the reason and trains', async (how, before) => {
  const noLocalStorage = `Object.defineProperty(globalThis, 'localStorage', { get() {
    throw new DOMException('denied', 'SecurityError');
  } });`;
  const { page, errors, close } = await openPage(STACKED, { before: before + noLocalStorage });
  const notice = page.getByRole('status', { name: 'Notices' }).getByRole('listitem');
  await eventually(() => notice.allInnerTexts()).toEqual([
    expect.stringMatching(/^Not saved on this device: .*export/),
  ]);
  await eventually(() => notice.innerText()).toContain(REASONS[how as keyof typeof REASONS]);
  await untilStep(page, 2);
  const { step } = await pause(page);
  await page.getByText('No saved runs yet.').waitFor();
  await (await openSettings(page)).getByLabel('Theme').selectOption('dark');
  await eventually(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  await page.keyboard.press('Escape');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export run' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`turnwise-mt-grpo-seed-1-step-${step}.json`);
  expect(errors).toEqual([]);
  await close();
});

test('if storage is full, the page keeps the last saved state and names its step', async () => {
  const before = `const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...values) {
      if (globalThis.full) throw new DOMException('no room', 'QuotaExceededError');
      return put.apply(this, values);
    };`;
  const { page, errors, close } = await openPage(SMALL, { before });
  await untilStep(page, 2);
  const { step } = await pause(page);
  await waitUntilSaved(page, step);
  await page.evaluate(() => Object.assign(globalThis, { full: true }));
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await page.getByText(`The storage of this browser is full: the last saved state is step ${step}.`).waitFor();
  await eventually(() => readRun(page)).toMatchObject({ status: 'paused', step: step + 1 });
  expect(errors).toEqual([]);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${step}.`).waitFor();
  await untilStatus(page, 'paused');
  await eventually(async () => (await readRun(page, 'metrics')).metrics).toHaveLength(step);
  await close();
});

const DAMAGES: [what: string, damage: string, reason: RegExp][] = [
  ['a record without its contents', `runs.clear();`, /its contents are missing/],
  ['a checkpoint that was overwritten', `new Uint8Array(saved.checkpoint).fill(7); runs.put(saved, id);`, /header/],
];

test.each(DAMAGES)('the page reports %s, and a new run trains', async (_description, damage, reason) => {
  const { page, close } = await openPage(SMALL);
  await untilStep(page, 2);
  const { step } = await pause(page);
  await waitUntilSaved(page, step);
  await page.evaluate(
    (code) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('turnwise');
        opening.onerror = reject;
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('runs', 'readwrite');
          const runs = transaction.objectStore('runs');
          runs.openCursor().onsuccess = ({ target }) => {
            const cursor = (target as IDBRequest<IDBCursorWithValue | null>).result;
            if (!cursor) return reject(new Error('no run is stored'));
            const { value: saved, key: id } = cursor;
            new Function('runs', 'saved', 'id', code)(runs, saved, id);
          };
          transaction.oncomplete = resolve;
        };
      }),
    damage,
  );
  await page.reload();
  await page.getByText(reason).waitFor();
  await (await openSettings(page)).getByRole('button', { name: 'Reset' }).click();
  await eventually(async () => (await readRun(page, 'status')).status).toMatch(/paused|playing/);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, 1);
  await close();
});

test('the page reports the version of a database with another layout, and trains', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await untilStep(page, 1);
  await inStorage(page, async () => {
    const requested = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    await requested(indexedDB.deleteDatabase('turnwise'));
    (await requested(indexedDB.open('turnwise', 1))).close();
  });
  await page.getByText('database "turnwise" has version 1, not 2').waitFor();
  await untilStep(page, 1);
  expect(errors.filter(ofThePage)).toEqual([]);
  await close();
});
