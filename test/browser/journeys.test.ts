import { chromium, type Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import type { Exercise } from '../../src/app/lessons/exercises/exercise.ts';
import type { Formula } from '../../src/app/lessons/exercises/formula.ts';
import { EXACT } from '../../src/engine/engineName.ts';
import { readRecord } from '../../src/lessons/results/resultFile.ts';
import { STATE_MS } from '../limits.ts';
import {
  curveOf,
  eventually,
  lanesAt,
  openSettings,
  openSeveral,
  pause,
  readLanes,
  readRun,
  readWhen,
  STACKED,
  scrollToChart,
  untilStatus,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { openPage, type PageOptions } from './chromium.ts';
import { breakTraining } from './faults.ts';
import { expectAccessible } from './findings.ts';

// Tests of the page with real policies, one of each kind. Other browser tests use scripted runs (test/scripted), and
// test/unit/runs/scripted.test.ts compares scripted runs with real runs.

const openReal = (path: string, options: PageOptions = {}) => openPage(path, { ...options, real: true });
const problems = { name: 'Problems' } as const;

test('the page trains when it opens: the curve has a point per update, and the group shows its rollouts', async () => {
  const { page, errors, close } = await openReal(STACKED);
  await untilStep(page, 3);
  const { metrics, group } = await pause(page);
  expect(metrics.map(({ step }) => step)).toEqual(metrics.map((_, step) => step));
  expect(metrics.every(({ loss, entropy }) => Number.isFinite(loss) && entropy > 0)).toBe(true);
  const line = (await scrollToChart(page)).locator('.lines path').first();
  await eventually(async () => ((await line.getAttribute('d')) ?? '').split(/[ML]/).length - 1).toBe(metrics.length);
  await page.locator('tw-group').scrollIntoViewIfNeeded();
  await page
    .locator('tw-group')
    .getByText(`update ${(group?.step ?? 0) + 1}`, { exact: true })
    .waitFor();
  await eventually(() => page.locator('tw-group-table tbody tr').count()).toBe(4);
  expect(errors).toEqual([]);
  await close();
});

test('changes of rule and reward take effect at the next update, and the link reproduces the run', async () => {
  const { page, close } = await openReal(STACKED);
  await untilStep(page, 2);
  await page.getByRole('radio', { name: 'GRPO-OR' }).check({ force: true });
  await eventually(async () => (await readRun(page, 'events')).events.length).toBe(1);
  const slider = page.getByRole('slider', { name: 'Tool skipped' });
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await eventually(async () => (await readRun(page, 'events')).events.length).toBe(2);
  const { events } = await readRun(page, 'events');
  const [rule, reward] = events.map(({ step }) => step);
  await untilStep(page, reward + 3);
  const { metrics, controls } = await pause(page);
  expect(metrics.map((row) => row.rule)).toEqual(metrics.map(({ step }) => (step < rule ? 'mt-grpo' : 'grpo-or')));
  // Each rollout without a call has this reward, so the mean is the reward times the share of these rollouts.
  for (const { step, toolUse, components } of metrics) {
    const expected = Number(controls.rewardSkip) * (1 - (toolUse ?? Number.NaN));
    if (step >= reward) expect(components.skip).toBeCloseTo(expected, 6);
  }
  // The address is updated with a delay, separately for each change.
  await page.waitForURL((url) => {
    const at = url.searchParams.get('at') ?? '';
    return at.includes(`${rule}:rule=grpo-or`) && at.includes('rewardSkip=');
  });
  const again = await openReal(page.url());
  await untilStep(again.page, reward + 3);
  const repeated = await pause(again.page);
  expect(curveOf(repeated.metrics.slice(0, reward + 3))).toEqual(curveOf(metrics.slice(0, reward + 3)));
  await again.close();
  await close();
});

test('in Repair, the sandbox tests the programs of the policy, and a reload resumes the run', async () => {
  const { page, errors, close } = await openReal('?v=1&environment=repair&groupSize=4&programs=8&minibatches=1');
  await untilStep(page, 2);
  const { controls, group, metrics } = await pause(page);
  expect(controls).toMatchObject({ rule: 'grpo-mt', programs: 8 });
  expect(metrics[0]).toMatchObject({ toolUse: null, facts: { pass1: expect.any(Number) } });
  // Each turn is a program with the result of each test. The credit rules read the same results.
  const turns = group?.rollouts.flatMap((rollout) => rollout.turns) ?? [];
  for (const { detail, forestTurn } of turns) {
    const passed = detail?.tests.map((result) => Number(result.passed));
    if (detail?.tests.length) expect(passed).toEqual(group?.forest.turns[forestTurn]?.passed);
  }
  expect(turns.some(({ detail }) => detail?.tests.length === 10 && detail.program.includes('return'))).toBe(true);
  await waitUntilSaved(page, 2);
  await page.reload();
  await untilStatus(page, 'paused');
  await eventually(async () => curveOf((await readRun(page, 'metrics')).metrics)).toEqual(curveOf(metrics));
  expect(errors).toEqual([]);
  await close();
});

test('under MT-PPO, the critic trains before the policy, and each token has its own advantage', async () => {
  const { page, close } = await openReal(`${STACKED}&rule=mt-ppo&criticUpdates=1`);
  await untilStep(page, 3);
  const { metrics, group } = await pause(page);
  expect(metrics[0]).toMatchObject({ rule: 'mt-ppo', loss: null, gradientNorm: null });
  expect(metrics[0].valueLoss).toBeGreaterThan(0);
  expect(metrics[1].gradientNorm).toBeGreaterThan(0);
  const [rollout] = group?.rollouts ?? [];
  const first = rollout.tokens.filter(({ turn }) => turn === 0).map(({ advantage }) => advantage ?? Number.NaN);
  expect(new Set(first).size).toBeGreaterThan(1);
  const mean = first.reduce((sum, value) => sum + value, 0) / first.length;
  expect(rollout.turns[0].advantage).toBeCloseTo(mean, 5);
  await close();
});

test('after a lost device, training continues automatically with the same curve', async () => {
  const path = `${STACKED}&engine=wgsl`;
  const calm = await openReal(path);
  await untilStep(calm.page, 5);
  const curve = curveOf((await pause(calm.page)).metrics);
  await calm.close();
  const { page, close } = await openReal(path, { breakable: true });
  await untilStep(page, 2);
  await breakTraining(page, 'lose-device');
  await page
    .getByRole('alert', problems)
    .getByText(/^The GPU device was lost at step \d+\./)
    .waitFor();
  await eventually(async () => (await readRun(page, 'events')).events.map(({ kind }) => kind)).toEqual(['recovered']);
  await untilStep(page, 5);
  const { metrics } = await pause(page);
  expect(curveOf(metrics.slice(0, 5))).toEqual(curve.slice(0, 5));
  await close();
});

test('after a worker error, the curve remains, and a new worker continues from the checkpoint', async () => {
  const { page, close } = await openReal(STACKED, { breakable: true });
  await untilStep(page, 2);
  await pause(page);
  await breakTraining(page, 'throw');
  const alert = page.getByRole('alert', problems);
  await alert.getByText(/^The training worker stopped: /).waitFor();
  const { metrics, checkpoint } = await readRun(page, 'metrics', 'checkpoint');
  await page.getByRole('button', { name: `Resume from the checkpoint of step ${checkpoint}` }).click();
  await untilStatus(page, 'paused');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, metrics.length + 1);
  const after = await readRun(page);
  expect(curveOf(after.metrics.slice(0, metrics.length))).toEqual(curveOf(metrics));
  await close();
});

test('after a reload, the run continues with its curve and its events', async () => {
  const { page, close } = await openReal(`${STACKED}&at=1:rule=grpo-or`);
  await untilStep(page, 2);
  const before = await pause(page);
  await waitUntilSaved(page, before.step);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${before.step}.`).waitFor();
  const { step, metrics, events, controls } = before;
  await eventually(() => readRun(page)).toMatchObject({ step, metrics, events, controls });
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, step + 1);
  await close();
});

test('a step in a second tab with the same run creates a copy, and the first tab keeps its run', async () => {
  const first = await openReal(STACKED);
  await untilStep(first.page, 2);
  const { step } = await pause(first.page);
  await waitUntilSaved(first.page, step);
  const second = await openReal(STACKED, { context: first.context });
  await second.page.getByText(/In this tab, the run is paused at step \d+\./).waitFor();
  await eventually(async () => (await readRun(second.page, 'step')).step).toBe(step);
  // The first tab continues its run, so the second tab has an earlier state of it.
  await first.page.getByRole('button', { name: 'Step', exact: true }).click();
  await waitUntilSaved(first.page, step + 1);
  await second.page.getByRole('button', { name: 'Step', exact: true }).click();
  await second.page.getByText(/From step \d+ on you train a copy, which is saved separately\./).waitFor();
  await eventually(async () => (await readRun(first.page, 'step')).step).toBe(step + 1);
  await first.close();
});

test('a fork has the same curve as a separate run with the same changes', async () => {
  const { page, close } = await openReal(`${STACKED}&seed=2`);
  await untilStep(page, 2);
  const end = (await pause(page)).step + 3;
  await openSeveral(page);
  await page.getByRole('button', { name: 'Fork here' }).click();
  await page.locator('tw-lanes').getByText('2 MT-GRPO, from step').waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await lanesAt(page, end);
  await pause(page);
  const [first, second] = await readLanes(page);
  expect([first.rule, second.rule]).toEqual(['mt-grpo', 'grpo-or']);
  const at = second.metrics.findIndex(({ rule }) => rule === 'grpo-or');
  expect(curveOf(second.metrics.slice(0, at))).toEqual(curveOf(first.metrics.slice(0, at)));
  const unforked = await openReal(`${STACKED}&seed=2&at=${at}:rule=grpo-or`);
  await untilStep(unforked.page, end);
  await eventually(async () => curveOf((await readRun(unforked.page, 'metrics')).metrics.slice(0, end))).toEqual(
    curveOf(second.metrics.slice(0, end)),
  );
  await unforked.close();
  await close();
});

test('after one visit, the page opens offline, resumes the run, and opens another world', async () => {
  const { page, context, errors, close } = await openReal(STACKED, { serviceWorkers: 'allow' });
  await untilStep(page, 2);
  const { step, metrics } = await pause(page);
  await waitUntilSaved(page, step);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return;
    await new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done, { once: true }));
  });
  expect(errors).toEqual([]);
  await context.setOffline(true);
  await page.reload();
  await page.getByText(`Your run was resumed, paused at step ${step}.`).waitFor();
  await untilStatus(page, 'paused');
  await eventually(async () => (await readRun(page, 'metrics')).metrics).toEqual(metrics);
  // Another world has another starting policy, which the page has not loaded yet.
  await (await openSettings(page)).getByRole('button', { name: 'Over-searching' }).click();
  await page.waitForURL(/maxTurns=/);
  await untilStatus(page, 'paused');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, 1);
  await eventually(async () => (await readRun(page, 'problems')).problems).toEqual([]);
  await close();
});

test('a browser without WebGPU trains on the processor', async () => {
  const browser = await chromium.launch({
    executablePath: inject('chromium'),
    args: ['--no-sandbox', '--disable-gpu'],
    timeout: STATE_MS,
  });
  try {
    const { page, errors } = await openReal(STACKED, { context: await browser.newContext() });
    await untilStep(page, 2);
    const { configuration, metrics, notices } = await pause(page);
    expect([configuration.engine, notices, errors]).toEqual([EXACT, [], []]);
    expect(metrics.every(({ loss }) => Number.isFinite(loss))).toBe(true);
  } finally {
    await browser.close();
  }
});

/** Returns the exercises of a lesson. */
const exercisesOf = (page: Page) => page.locator('tw-lesson-exercise');
/** Returns the questions that the page created for an exercise. */
const readQuestions = (page: Page, at: number) =>
  exercisesOf(page)
    .nth(at)
    .evaluate((element) => {
      const { questions } = (element as unknown as { readonly exercise: Exercise }).exercise;
      return questions.map((question) =>
        question.kind === 'choice' ? question : { ...question, evaluate: undefined },
      );
    });

test('a lesson compares the prediction with its runs, and its formula and exercises use their groups', async () => {
  const { page, errors, close } = await openReal('#learn/true-worth/college');
  await page.getByRole('img', { name: /^A key, a door and a star/ }).waitFor();
  await page.getByRole('button', { name: 'It takes the prize in about a third of its attempts', exact: true }).click();
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.getByRole('heading', { name: 'Your prediction and the result' }).waitFor({ timeout: 2 * STATE_MS });
  await page.getByText(/^At step 60 you predicted \d+ %; the run reached \d+ %\.$/).waitFor();

  // A focused symbol shows its description and highlights its numbers.
  const formula = page.locator('tw-lesson-formula');
  const lit = () => formula.locator('td.lit').count();
  await eventually(() => formula.locator('td').count()).toBeGreaterThan(0);
  await eventually(lit).toBe(0);
  await formula.locator('button[data-symbol=V1]').first().focus();
  await formula.getByText(/^V₁: the value of the start, the mean over all attempts\. Here [\d.]+\.$/).waitFor();
  await eventually(lit).toBe(8);
  await formula.locator('button[data-symbol=o]').first().focus();
  await eventually(lit).toBe(1);
  await page.keyboard.press('Tab');
  const numbers = () => formula.locator('.number').allTextContents();
  const before = await readWhen(numbers, (all) => all.length > 0);
  const attemptName = await formula.evaluate((element) => {
    const { rows } = (element as unknown as { readonly formula: Formula }).formula;
    return rows.find(({ texts }) => texts.A2 !== rows[0]?.texts.A2)?.name;
  });
  await page.getByRole('button', { name: `Select attempt ${attemptName}`, exact: true }).click();
  await eventually(numbers).not.toEqual(before);
  // The pointer also selects a symbol.
  await formula.locator('button[data-symbol=V1]').first().hover();
  await eventually(lit).toBe(8);

  // First exercise: the value of a turn.
  const [start] = await readQuestions(page, 0);
  const answer = start?.kind === 'blanks' ? start.blanks[0]?.answer : undefined;
  const first = exercisesOf(page).nth(0).locator('form').first();
  await first.getByRole('textbox').fill('17');
  await first.getByRole('button', { name: 'Check' }).click();
  await first.getByText('Not correct yet.').waitFor();
  await first.getByRole('textbox').fill((answer ?? Number.NaN).toFixed(3));
  await first.getByRole('button', { name: 'Check' }).click();
  await first.getByText('Correct.').waitFor();

  // Second exercise: groups to which the rule assigns no credit.
  const [groups] = await readQuestions(page, 1);
  const labels = groups?.kind === 'choice' ? groups.right.map((index) => groups.options[index] ?? '') : [];
  const second = exercisesOf(page).nth(1);
  await second.getByRole('button', { name: 'Check' }).click();
  await second.getByText(/marks? (is|are) wrong\./).waitFor();
  for (const label of labels) await second.getByLabel(label).check();
  await second.getByRole('button', { name: 'Check' }).click();
  await second.getByText('Correct.').waitFor();

  // The result has both exercises with different numbers.
  const stored = await page.evaluate(() => localStorage.getItem('turnwise-result-1-true-worth'));
  const exercises = readRecord(JSON.parse(stored ?? ''), 'true-worth').attempts.at(-1)?.exercises;
  expect(exercises).toMatchObject([
    { number: 1, kind: 'worth', answers: [{ place: 1, check: 'right', tries: 2 }] },
    { number: 2, kind: 'tied', rule: 'grpo-or', answers: [{ text: labels.join(', '), check: 'right', tries: 2 }] },
  ]);
  await expectAccessible(page);
  // The level for a five-year-old has no formula.
  await page.getByRole('radio', { name: 'Five-year-old' }).check({ force: true });
  await eventually(() => formula.count()).toBe(0);

  // The next lesson opens at its top, and the link Lessons opens the list.
  await page.getByRole('link', { name: 'Next: Misspecified rewards' }).click();
  await page.getByRole('heading', { name: 'Misspecified rewards', exact: true }).waitFor();
  await eventually(() => page.evaluate(() => scrollY)).toBe(0);
  await page.getByRole('link', { name: 'Lessons', exact: true }).click();
  await page.getByRole('heading', { name: 'Lessons', exact: true }).waitFor();
  expect(errors).toEqual([]);
  await close();
});
