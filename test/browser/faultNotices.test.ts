import { expect, test } from 'vitest';
import {
  curveOf,
  eventually,
  openSettings,
  pause,
  readRun,
  readWhen,
  SMALL,
  STACKED,
  untilStatus,
  untilStep,
} from './app.ts';
import { openPage } from './chromium.ts';
import { breakTraining } from './faults.ts';

/** Name of the alert region, which a screen reader reads immediately. */
const PROBLEMS = { name: 'Problems' } as const;

test('after a lost device, non-finite numbers and a worker error, a run continues as without the faults', async () => {
  const calm = await openPage(SMALL);
  await untilStep(calm.page, 12);
  const curve = curveOf((await pause(calm.page)).metrics);
  await calm.close();

  const { page, close } = await openPage(STACKED, { breakable: true });
  const problems = page.getByRole('alert', PROBLEMS);
  await untilStep(page, 2);

  // The device is lost during training: the run continues automatically.
  await breakTraining(page, 'lose-device');
  await problems
    .getByText(/^The GPU device was lost at step \d+\. Continuing from the checkpoint of step \d+\.$/)
    .waitFor();
  await eventually(async () => (await readRun(page, 'events')).events.map(({ kind }) => kind)).toEqual(['recovered']);
  await page.getByRole('row', { name: /device lost at step \d+, continued from step \d+/ }).waitFor();
  const [{ step: back } = { step: 0 }] = (await readRun(page, 'events')).events;
  await untilStep(page, back + 3);
  await problems.getByRole('button', { name: 'Dismiss' }).click();

  // The device is lost while the run is paused: the run remains paused.
  const rested = await pause(page);
  await breakTraining(page, 'lose-device');
  await problems.getByText('The GPU device was lost').waitFor();
  await untilStatus(page, 'paused');
  await eventually(() => readRun(page)).toMatchObject({ step: rested.step, metrics: rested.metrics });
  await problems.getByRole('button', { name: 'Dismiss' }).click();

  // A non-finite loss stops the run before its weights change, and the page offers the last checkpoint.
  await breakTraining(page, 'non-finite');
  await page.getByRole('button', { name: 'Play' }).click();
  await problems.getByText(/^Training stopped: update \d+: the (loss|gradient) is not finite/).waitFor();
  await untilStatus(page, 'stopped');
  await eventually(() => page.getByRole('button', { name: 'Play' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: `Resume from the checkpoint of step ${rested.step}` }).click();
  await untilStatus(page, 'paused');
  await eventually(() => readRun(page)).toMatchObject({ step: rested.step, metrics: rested.metrics, problems: [] });
  await page.getByRole('button', { name: 'Play' }).click();
  await untilStep(page, rested.step + 2);

  // The worker throws: the curve remains, and a new worker continues.
  await breakTraining(page, 'throw');
  await problems.getByText(/^The training worker stopped: .*a test made the worker throw\. The curves are/).waitFor();
  const { metrics, checkpoint } = await readRun(page, 'metrics', 'checkpoint');
  expect(metrics.length).toBeGreaterThanOrEqual(rested.step + 2);
  await page.getByRole('button', { name: `Resume from the checkpoint of step ${checkpoint}` }).click();
  await untilStatus(page, 'paused');
  await page.getByRole('button', { name: 'Play' }).click();
  await untilStep(page, 12);
  const recovered = await pause(page);
  expect(curveOf(recovered.metrics.slice(0, 12))).toEqual(curve.slice(0, 12));
  await close();
});

test('after a worker error in its first updates, the run continues from the offered step', async () => {
  const { page, close } = await openPage(SMALL, { breakable: true });
  // The page replaces a worker that throws before the run starts without a message, because no state is lost.
  await untilStatus(page, 'playing');
  await breakTraining(page, 'throw');
  const problems = page.getByRole('alert', PROBLEMS);
  await problems.getByText(/a test made the worker throw/).waitFor();
  const again = problems.getByRole('button', {
    name: /^(Start again from step 0|Resume from the checkpoint of step \d+)$/,
  });
  const offer = await readWhen(
    () => again.innerText(),
    (text) => /\d/.test(text),
  );
  await again.click();
  await untilStatus(page, 'paused');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, Number(/\d+$/.exec(offer.trim())?.[0]) + 1);
  await close();
});

const DOWNLOADS = [
  ['is missing', { status: 404, body: 'not found' }, /could not be loaded: 404/],
  ['is an HTML page', { contentType: 'text/html', body: '<!doctype html><title>Sign in</title>' }, /checkpoint/],
] as const;

test.each(DOWNLOADS)(
  'the page reports a starting policy that %s, and a second attempt succeeds',
  async (_description, answer, reason) => {
    const { page, context, close } = await openPage('/blank.html');
    await context.route('**/*.safetensors', (route) => route.fulfill(answer));
    const app = await openPage(SMALL, { context });
    const problems = app.page.getByRole('alert', PROBLEMS);
    await problems.getByText(reason).waitFor();
    await untilStatus(app.page, 'stopped');
    await context.unroute('**/*.safetensors');
    await (await openSettings(app.page)).getByRole('button', { name: 'Reset' }).click();
    await untilStatus(app.page, 'paused');
    await app.page.getByRole('button', { name: 'Step', exact: true }).click();
    await untilStep(app.page, 1);
    await page.close();
    await close();
  },
);

test('a warm start can be trained on the device if its policy is missing, also after a crash', async () => {
  const { context, close } = await openPage('/blank.html');
  await context.route('**/*.safetensors', (route) => route.fulfill({ status: 404, body: '' }));
  const { page } = await openPage(STACKED, { context, breakable: true });
  await untilStatus(page, 'stopped');
  await page.locator('summary', { hasText: 'Environment settings' }).click();
  const progress = page.getByRole('progressbar', { name: 'Warm start' });
  for (const crash of [false, true]) {
    if (crash) {
      await breakTraining(page, 'throw');
      await page
        .getByRole('alert', PROBLEMS)
        .getByText(/a test made the worker throw/)
        .waitFor();
    }
    await page.getByRole('button', { name: 'Train the warm start here' }).click();
    await eventually(() => progress.getAttribute('value').then(Number)).toBeGreaterThan(0);
    await eventually(() => readRun(page)).toMatchObject({ status: 'warming', step: 0 });
  }
  await close();
});

test('the page reports a script of the worker that cannot be loaded', async () => {
  const { context, close } = await openPage('/blank.html');
  await context.route(/\/assets\/training-[^/]*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
  const { page } = await openPage(SMALL, { context });
  await page
    .getByRole('alert', PROBLEMS)
    .getByText(/^The training worker stopped: it could not be loaded/)
    .waitFor();
  await page.getByRole('button', { name: 'Start again from step 0' }).waitFor();
  await close();
});
