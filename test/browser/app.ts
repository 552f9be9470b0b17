import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RunController } from '../../src/app/runs/runController.ts';
import type { RunConfiguration } from '../../src/training/data/configuration.ts';
import type { Command, GroupView, Metrics, Problem, RunEvent, Status } from '../../src/training/data/protocol.ts';
import { STATE_MS } from '../limits.ts';
import { timeless } from '../timeless.ts';

/** Parts of the page that tests read: its one element, and the run that it holds. */
export type App = Element & { readonly run: RunController };

/** A run that a software adapter updates several times a second. */
export const SMALL = '?v=1&questions=1&groupSize=4&minibatches=1';

/** The same run with its panels one below the other, in place of the first screen with tabs. */
export const STACKED = `${SMALL}&panels=chart,curves,controls,group,rule,log,runs`;

/** Opens the settings, and returns them. */
export async function openSettings(page: Page): Promise<Locator> {
  const settings = page.locator('tw-settings');
  const panel = settings.getByRole('dialog', { name: 'Settings' });
  if ((await many(panel)) === 0) await settings.getByRole('button', { name: 'Settings' }).click();
  return panel;
}

/** Selects a tab below the first screen. */
export const openTab = (page: Page, name: string) =>
  page.getByRole('tab', { name, exact: true }).dispatchEvent('click');

export interface RunState {
  readonly status: Status;
  readonly step: number;
  readonly metrics: readonly Metrics[];
  readonly events: RunEvent[];
  readonly problems: Problem[];
  readonly notices: readonly string[];
  readonly group: GroupView | undefined;
  readonly controls: Readonly<Record<string, number | string>>;
  readonly configuration: RunConfiguration;
  /** Step of the state that the run can go back to; null for none. */
  readonly checkpoint: number | null;
}

/**
 * Reads the run of the page. Names of fields leave out the others: a long curve or a group takes the page and Playwright
 * more time than a poll lasts.
 */
export function readRun<K extends keyof RunState = keyof RunState>(
  page: Page,
  ...fields: readonly K[]
): Promise<Pick<RunState, K>> {
  return page.evaluate(
    (names: readonly string[]) => {
      const { run } = document.querySelector('tw-app') as App;
      const { model } = run.session;
      const notices = [...run.notices, run.storage.notice ?? []].flat();
      // Some fields of the model are getters.
      const derived: Record<string, unknown> = { notices, checkpoint: model.checkpoint?.step ?? null };
      const read = (name: string) => (name in derived ? derived[name] : model[name as 'step']);
      return Object.fromEntries(names.map((name) => [name, read(name)])) as never;
    },
    fields.length > 0 ? fields : RUN_FIELDS,
  );
}

const RUN_FIELDS: readonly string[] = [
  ...['status', 'step', 'metrics', 'events', 'problems', 'notices', 'group', 'controls', 'checkpoint', 'configuration'],
];

/** One of the runs of a page. */
interface Lane {
  readonly id: string;
  readonly rule: string;
  readonly status: Status;
  readonly metrics: readonly Metrics[];
}

/** The runs of the page, the first one first. */
export const readLanes = (page: Page): Promise<readonly Lane[]> =>
  page.evaluate(() =>
    (document.querySelector('tw-app') as App).run.lanes.all.map(({ id, model }) => {
      const { status, metrics, controls } = model;
      return { id, rule: String(controls.rule), status, metrics };
    }),
  );

/** Waits until every run of the page is at this step. */
export const lanesAt = (page: Page, step: number) =>
  eventually(async () => (await readLanes(page)).every(({ metrics }) => metrics.length >= step)).toBe(true);

/** Unfolds the panel that trains several runs. */
export const openSeveral = (page: Page) => page.locator('tw-several-runs summary').click();

/** Returns an expectation that reads the page every 100 ms until it holds. */
export function eventually<T>(read: () => T | Promise<T>, message = '') {
  return expect.poll(read, { timeout: STATE_MS, interval: 100, message });
}

/** Reads a value of the page when it first satisfies a condition; for values that a test continues to work with. */
export async function readWhen<T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  let value: T | undefined;
  await eventually(async () => {
    value = await read();
    return fits(value);
  }, `readWhen: ${read}`).toBe(true);
  return value as T;
}

/** Waits until so many updates are done and their points are on the curve. */
export async function untilStep(page: Page, step: number): Promise<void> {
  await page.waitForFunction((expected) => {
    const { model } = (document.querySelector('tw-app') as App).run.session;
    return model.step >= expected && (model.metrics.at(-1)?.step ?? -1) >= expected - 1;
  }, step);
}

/** Waits until the page says one of these of the run. */
export async function untilStatus(page: Page, ...statuses: Status[]): Promise<void> {
  await page.waitForFunction(
    (expected) => expected.includes((document.querySelector('tw-app') as App).run.session.model.status),
    statuses,
  );
}

/** Waits until storage has written everything and lists a run at this step or a later one. */
export async function waitUntilSaved(page: Page, step: number): Promise<void> {
  await page.waitForFunction((expected) => {
    const { runs } = (document.querySelector('tw-app') as App).run.storage;
    return runs.some((run) => run.step >= expected);
  }, step);
  await page.evaluate(() => (document.querySelector('tw-app') as App).run.storage.written);
}

/**
 * Waits until the worker of a paused run has answered all commands so far. The worker answers in order, and this
 * function requests one more answer. For tests that something has not happened.
 */
export async function untilAnswered(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const { session } = (document.querySelector('tw-app') as App).run;
        session.listen(({ type }) => {
          if (type === 'checkpoint') resolve();
        });
        session.send({ type: 'save' });
      }),
  );
}

/** Presses Pause, waits until the run is paused, and returns its state. */
export async function pause(page: Page): Promise<RunState> {
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilStatus(page, 'paused');
  const { step } = await readRun(page, 'step');
  await untilStep(page, step);
  return readRun(page);
}

/**
 * The state of a paused run whose page shows a group of the newest update: a group is drawn some frames after the
 * metrics that came with it.
 */
export function readGroup(page: Page): Promise<RunState & { readonly group: GroupView }> {
  const isComplete = (state: RunState): state is RunState & { readonly group: GroupView } =>
    state.status === 'paused' && state.group?.step === state.step - 1;
  return readWhen(() => readRun(page), isComplete) as Promise<RunState & { readonly group: GroupView }>;
}

/** Maximum number of updates of `stepToGroup`. No environment has as many recorded groups (test/scripted). */
const STEP_LIMIT = 40;

/**
 * Steps a paused run until the newest update shows a group that fits. A link determines the groups of its scripted run.
 * @throws {Error} if no group of 40 updates fits
 */
export async function stepToGroup(
  page: Page,
  fits: (group: GroupView) => boolean,
): Promise<RunState & { readonly group: GroupView }> {
  let state = await readGroup(page);
  for (let steps = 0; !fits(state.group); steps++) {
    if (steps === STEP_LIMIT) throw new Error(`of ${STEP_LIMIT} groups up to step ${state.step} none fits: ${fits}`);
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await untilStep(page, state.step + 1);
    await untilStatus(page, 'paused');
    state = await readGroup(page);
  }
  return state;
}

/** Returns the present number of elements; for loops over elements that do not change, never for an expectation. */
export function many(locator: Locator): Promise<number> {
  return locator.count();
}

/**
 * Scrolls to a chart of the page, and returns it. The chart is drawn while it is visible. A press of something below it
 * scrolls it off the screen. So does a reload of the page at the same scroll position.
 */
export async function scrollToChart(page: Page, chart = 'tw-line-chart[large]'): Promise<Locator> {
  const locator = page.locator(chart).first();
  await locator.scrollIntoViewIfNeeded();
  return locator;
}

/** Opens everything that is folded. */
export async function unfold(page: Page): Promise<void> {
  const folded = page.locator('details:not([open]) > summary');
  // A click opens at once, so that the next look counts one fewer.
  for (let left = await many(folded); left > 0; left = await many(folded)) await folded.first().click();
}

/** Says something to the training session that no button says. */
export async function send(page: Page, command: Command): Promise<void> {
  await page.evaluate((message) => (document.querySelector('tw-app') as App).run.session.send(message), command);
}

/** A curve without what depends on the clock, for comparing runs exactly. */
export function curveOf(metrics: readonly Metrics[]): object[] {
  return metrics.map(timeless);
}
