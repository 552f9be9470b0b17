import { expect, test } from 'vitest';
import { eventually, openSettings, pause, readRun, SMALL, STACKED, untilKept, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { inStorage, ofThePage } from './inStorage.ts';

const REFUSALS = {
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

test.each(Object.entries(REFUSALS))('where storage %s the page says so and trains', async (how, before) => {
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

test('a full device keeps the last good state and says which', async () => {
  const before = `const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...values) {
      if (globalThis.full) throw new DOMException('no room', 'QuotaExceededError');
      return put.apply(this, values);
    };`;
  const { page, errors, close } = await openPage(SMALL, { before });
  await untilStep(page, 2);
  const { step } = await pause(page);
  await untilKept(page, step);
  await page.evaluate(() => Object.assign(globalThis, { full: true }));
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await page.getByText(`The storage of this browser is full: the last saved state is step ${step}.`).waitFor();
  await eventually(() => readRun(page)).toMatchObject({ status: 'paused', step: step + 1 });
  expect(errors).toEqual([]);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${step}.`).waitFor();
  await untilStatus(page, 'paused');
  await eventually(async () => (await readRun(page)).metrics).toHaveLength(step);
  await close();
});

const DAMAGES: [what: string, damage: string, reason: RegExp][] = [
  ['a record without its contents', `runs.clear();`, /its contents are missing/],
  ['a checkpoint that was overwritten', `new Uint8Array(saved.checkpoint).fill(7); runs.put(saved, id);`, /header/],
];

test.each(DAMAGES)('%s is named, and training begins all the same', async (_what, damage, reason) => {
  const { page, close } = await openPage(SMALL);
  await untilStep(page, 2);
  const { step } = await pause(page);
  await untilKept(page, step);
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
            if (!cursor) return reject(new Error('nothing is kept'));
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
  await eventually(async () => (await readRun(page)).status).toMatch(/paused|playing/);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, 1);
  await close();
});

test('a run that an earlier version kept is opened, and goes on', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await untilStep(page, 2);
  const { step, metrics } = await pause(page);
  await untilKept(page, step);
  await inStorage(page, async () => {
    const asked = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const now = await asked(indexedDB.open('turnwise'));
    const stores = now.transaction(['summaries', 'runs', 'pages']);
    const [summary] = await asked(stores.objectStore('summaries').getAll());
    const [contents] = await asked(stores.objectStore('runs').getAll());
    const pages = await asked(stores.objectStore('pages').getAll());
    now.close();
    await asked(indexedDB.deleteDatabase('turnwise'));
    // As version 1 had it: no pages, the whole curve in the run.
    const opening = indexedDB.open('turnwise', 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('summaries', { keyPath: 'id' });
      opening.result.createObjectStore('runs');
    };
    const before = await asked(opening);
    const writing = before.transaction(['summaries', 'runs'], 'readwrite');
    // What a request wrote is kept once its transaction is done, and a page that is left ends those that are not.
    const done = new Promise((resolve, reject) => {
      writing.oncomplete = resolve;
      writing.onabort = () => reject(writing.error);
    });
    writing.objectStore('runs').put({ ...contents, metrics: pages.flat() }, summary.id);
    writing.objectStore('summaries').put(summary);
    await done;
    before.close();
  });
  await page.getByText(`Your run was resumed, paused at step ${step}.`).waitFor();
  await untilStatus(page, 'paused');
  await eventually(async () => (await readRun(page)).metrics).toEqual(metrics);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilKept(page, step + 1);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${step + 1}.`).waitFor();
  await eventually(async () => (await readRun(page)).metrics.length).toBe(step + 1);
  expect(errors.filter(ofThePage)).toEqual([]);
  await close();
});
