import { expect, test } from 'vitest';
import { eventually, pause, readRun, STACKED, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('the explanation of changes states the credit of searches since the last change of the rule', async () => {
  const { page, errors, close } = await openPage(STACKED);
  await untilStep(page, 3);
  const { step } = await pause(page);
  const why = page.locator('tw-why');
  await why.getByText(/^Why is .* changing\?$/).click();
  await why.getByText(new RegExp(`^Updates \\d+ to ${step} under MT-GRPO: `)).waitFor();
  await why.getByText(/^The updates (made|had) /).waitFor();
  await why.getByRole('rowheader', { name: 'the document was out of date' }).waitFor();
  await page.getByRole('radio', { name: 'GRPO-OR' }).check({ force: true });
  await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('grpo-or');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, step + 1);
  await why.getByText(new RegExp(`^Update ${step + 1} under GRPO-OR: `)).waitFor();
  await why.getByRole('columnheader', { name: 'under MT-GRPO' }).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test.each([
  [
    'repair',
    '&programs=16&groupSize=4&minibatches=1',
    /^Updates? .* under GRPO-MT: first programs had a mean advantage of /,
    'Repairs',
  ],
  [
    'repo',
    '&questions=1&groupSize=4&minibatches=1',
    /^Updates? .* under RTMC: (helpful steps had|there were no)/,
    'Harmful steps',
  ],
])(
  'in %s, the explanation of changes names the turns of the environment',
  async (environment, small, sentence, kind) => {
    const { page, errors, close } = await openPage(`?v=1&environment=${environment}${small}&panels=chart`);
    await untilStep(page, 2);
    await pause(page);
    const why = page.locator('tw-why');
    await why.getByText(/^Why is .* changing\?$/).click();
    await why.getByText(sentence).waitFor();
    await why.getByRole('rowheader', { name: kind, exact: true }).waitFor();
    await eventually(() => why.locator('tw-why-moves').count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  },
);
