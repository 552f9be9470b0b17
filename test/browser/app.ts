import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RunController } from '../../src/app/runs/runController.ts';
import type { RunConfiguration } from '../../src/training/data/configuration.ts';
import type { Command, GroupView, Metrics, Problem, RunEvent, Status } from '../../src/training/data/protocol.ts';
import { STATE_MS } from '../limits.ts';
import { timeless } from '../timeless.ts';

/** Root element of the page, with the run that tests read. */
export type App = Element & { readonly run: RunController };

/** Query of a run so small that a software adapter makes several updates per second. */
export const SMALL = '?v=1&questions=1&groupSize=4&minibatches=1';

/** Query of the same run with all panels in one column instead of tabs. */
export const STACKED = `${SMALL}&panels=chart,curves,controls,group,rule,log,runs`;

/** Opens the settings if they are closed, and returns their dialog. */
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
  /** Step of the checkpoint to which the run can return; null if it has none. */
  readonly checkpoint: number | null;
}

/**
 * Reads the run of the page.
 * @param fields fields to read; default: all. The transfer of a long curve or a group takes longer than one poll.
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

/** Returns the runs of the page, in order. */
export const readLanes = (page: Page): Promise<readonly Lane[]> =>
  page.evaluate(() =>
    (document.querySelector('tw-app') as App).run.all.map(({ id, model }) => {
      const { status, metrics, controls } = model;
      return { id, rule: String(controls.rule), status, metrics };
    }),
  );

/** Waits until every run of the page has reached a step. */
export const lanesAt = (page: Page, step: number) =>
  eventually(async () => (await readLanes(page)).every(({ metrics }) => metrics.length >= step)).toBe(true);

/** Expands the panel that trains several runs. */
export const openSeveral = (page: Page) => page.locator('tw-several-runs summary').click();

/** Returns an expectation that reads the page every 100 ms until it is satisfied. */
export function eventually<T>(read: () => T | Promise<T>, message = '') {
  return expect.poll(read, { timeout: STATE_MS, interval: 100, message });
}

/** Reads a value repeatedly until it satisfies a condition, and returns it. */
export async function readWhen<T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  let value: T | undefined;
  await eventually(async () => {
    value = await read();
    return fits(value);
  }, `readWhen: ${read}`).toBe(true);
  return value as T;
}

/** Waits until the run has made `step` updates and their points are on the curve. */
export async function untilStep(page: Page, step: number): Promise<void> {
  await page.waitForFunction((expected) => {
    const { model } = (document.querySelector('tw-app') as App).run.session;
    return model.step >= expected && (model.metrics.at(-1)?.step ?? -1) >= expected - 1;
  }, step);
}

/** Waits until the run of the page has one of these statuses. */
export async function untilStatus(page: Page, ...statuses: Status[]): Promise<void> {
  await page.waitForFunction(
    (expected) => expected.includes((document.querySelector('tw-app') as App).run.session.model.status),
    statuses,
  );
}

/** Waits until storage lists a run at this step or a later step and has no pending writes. */
export async function waitUntilSaved(page: Page, step: number): Promise<void> {
  await page.waitForFunction((expected) => {
    const { runs } = (document.querySelector('tw-app') as App).run.storage;
    return runs.some((run) => run.step >= expected);
  }, step);
  await page.evaluate(() => (document.querySelector('tw-app') as App).run.storage.written);
}

/**
 * Waits until the worker of a paused run has handled all previous commands. The worker handles commands in order, so
 * the function waits for the response to one more command. Tests use it to check that an event did not occur.
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
 * Returns the state of a paused run after the page shows a group of the newest update. The page draws a group some
 * frames after its metrics.
 */
export function readGroup(page: Page): Promise<RunState & { readonly group: GroupView }> {
  const isComplete = (state: RunState): state is RunState & { readonly group: GroupView } =>
    state.status === 'paused' && state.group?.step === state.step - 1;
  return readWhen(() => readRun(page), isComplete) as Promise<RunState & { readonly group: GroupView }>;
}

/** Maximum number of updates in `stepToGroup`. Every environment has fewer recorded groups (test/scripted). */
const STEP_LIMIT = 40;

/**
 * Steps a paused run until the newest update has a group that fits. The link of a scripted run determines its groups.
 * @throws {Error} if no group in 40 updates fits
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

/** Returns the current number of elements, for loops over a fixed list. Expectations must poll instead. */
export function many(locator: Locator): Promise<number> {
  return locator.count();
}

/**
 * Scrolls to a chart of the page, and returns it. The page draws only visible charts. A click on an element below the
 * chart and a reload of the page can scroll the chart off the screen.
 */
export async function scrollToChart(page: Page, chart = 'tw-line-chart[large]'): Promise<Locator> {
  const locator = page.locator(chart).first();
  await locator.scrollIntoViewIfNeeded();
  return locator;
}

/** Opens all closed `details` elements. */
export async function unfold(page: Page): Promise<void> {
  const folded = page.locator('details:not([open]) > summary');
  // A click opens an element synchronously, so the next count is lower by one.
  for (let left = await many(folded); left > 0; left = await many(folded)) await folded.first().click();
}

/** Sends a command to the training session, also a command that has no button. */
export async function send(page: Page, command: Command): Promise<void> {
  await page.evaluate((message) => (document.querySelector('tw-app') as App).run.session.send(message), command);
}

/** Returns a curve without fields that depend on the clock, to compare runs exactly. */
export function curveOf(metrics: readonly Metrics[]): object[] {
  return metrics.map(timeless);
}
