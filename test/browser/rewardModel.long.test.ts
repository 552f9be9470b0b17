import { expect, test } from 'vitest';
import { eventually, pause, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('the reward model of Repair rewards programs, and the page shows its rewards with the tests', async () => {
  const { page, errors, close } = await openPage(
    '?v=1&environment=repair&groupSize=4&programs=8&minibatches=1&outcomeReward=model&panels=curves,controls,group,log',
    { real: true },
  );
  await untilStep(page, 1);
  const { group, metrics } = await pause(page);
  const turns = (group?.rollouts ?? []).flatMap((rollout) => rollout.turns);
  expect(turns.length).toBeGreaterThan(3);
  for (const { summary, detail } of turns) {
    expect(summary).toBe(`${summary.split(';')[0]}; model reward ${detail?.modelReward?.toFixed(2)}`);
  }
  const modelReward = metrics[0].facts.modelReward as number;
  expect(modelReward).toBeGreaterThan(0);
  expect(modelReward).toBeLessThan(1);
  const node = page.locator('tw-program-tree [data-turn]').first();
  await node.focus();
  await node.press('Enter');
  await page.getByText(/^Reward of the model: [\d.]+; \d+ of 10 tests pass\.$/).waitFor();
  await eventually(() => page.getByRole('heading', { name: 'Model and tests' }).count()).toBe(1);
  expect(errors).toEqual([]);
  await close();
});

test('the unreliable judge of the shortcut world rewards turns, and each turn shows its noise and bias', async () => {
  const { page, errors, close } = await openPage(
    '?v=1&world=shortcut&groupSize=4&questions=2&minibatches=1&heldOutMode=off&turnReward=unreliable&panels=curves,controls,group,log',
    { real: true },
  );
  await untilStep(page, 1);
  const { group, metrics } = await pause(page);
  const turns = (group?.rollouts ?? []).flatMap((rollout) => rollout.turns);
  expect(turns).toHaveLength(8);
  for (const { summary } of turns) expect(summary).toMatch(/; the judge \(noise 0\.2, bias 0\.6\) says [01]\.\d\d$/);
  const { judgeReward, ruleReward } = metrics[0].facts;
  expect(judgeReward).toBeGreaterThanOrEqual(-0.2);
  expect(ruleReward).toBeLessThanOrEqual(0.5);
  await eventually(() => page.getByRole('heading', { name: 'Judge and rules' }).count()).toBe(1);
  expect(errors).toEqual([]);
  await close();
});

test('for a missing judge, the page shows its training command, and the run continues with rule rewards', async () => {
  const { page, errors, close } = await openPage(
    '?v=1&world=shortcut&groupSize=4&questions=2&minibatches=1&heldOutMode=off&turnReward=unreliable&judgeNoise=0.1&judgeBias=0.3&panels=curves,controls,group,log',
    { real: true },
  );
  await page.getByText('reward-model --noise 0.1 --bias 0.3').first().waitFor();
  await page.getByRole('combobox', { name: 'Turn reward source' }).selectOption('rules');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, 1);
  expect(errors).toEqual([]);
  await close();
});
