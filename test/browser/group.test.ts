import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signed } from '../../src/app/drawing/numbers.ts';
import { scoredBy } from '../../src/app/group/scoredGroup.ts';
import { type CreditChoice, creditOf, runChoice, withValues } from '../../src/app/inspector/choice.ts';
import { rolloutGraph } from '../../src/app/inspector/rolloutGraph.ts';
import type { GroupView } from '../../src/training/data/protocol.ts';
import {
  type App,
  eventually,
  pause,
  type RunState,
  readGroup,
  readRun,
  readWhen,
  stepToGroup,
  untilAnswered,
  untilStep,
} from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

/** Queries of the smallest runs. */
const SMALL = 'questions=1&minibatches=1';
const REPAIR = `?v=1&environment=repair&${SMALL}&programs=0&treeRoots=3&treeChildren=2&groupSize=4`;
const REPO = `?v=1&environment=repo&${SMALL}&groupSize=3`;

/** Change of VeRPO's weight of difficulty for each press of an arrow key. */
const ALPHA_STEP = 0.1;

const panel = (page: Page) => page.locator('tw-group');

/** Pauses the run, steps to a group that fits, and waits until the panel shows the group. */
async function pauseAtGroup(page: Page, fits: (group: GroupView) => boolean): Promise<RunState & { group: GroupView }> {
  await pause(page);
  const state = await stepToGroup(page, fits);
  await panel(page)
    .getByText(`update ${state.group.step + 1}`, { exact: true })
    .waitFor();
  return state;
}

/** Computes the credit of a group under a rule with the controls of the run, in the format of the page. */
function computeExpected({ group, controls }: { group: GroupView; controls: RunState['controls'] }, changes = {}) {
  const choice: CreditChoice = { ...scoredBy(runChoice(group.rule, controls), { values: {} }), ...changes };
  const { credit } = creditOf(group.forest, choice);
  if (!credit) throw new Error(`${choice.rule} did not read the group`);
  return [...credit.advantage].map((advantage) => (Number.isNaN(advantage) ? 'pruned' : `A ${signed(advantage)}`));
}

/** Returns the advantages in the boxes of the drawing, in the order of the turns. */
function drawn(page: Page): Promise<string[]> {
  return panel(page)
    .locator('tw-program-tree .drawing .node')
    .evaluateAll((nodes) =>
      nodes
        .map((node) => [
          Number(node.querySelector<SVGElement>('[data-turn]')?.dataset.turn),
          node.querySelector('.advantage')?.textContent?.trim() ?? '',
        ])
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([, text]) => String(text)),
    );
}

/** Returns the parts of the state that change if the run changes. */
function untouched({ events, controls, configuration, step }: RunState) {
  return { events, controls, configuration, step };
}

/** Expects that the run is unchanged after its worker has handled all commands. */
async function expectUntouched(page: Page, before: RunState): Promise<void> {
  await untilAnswered(page);
  const now = await readRun(page);
  expect(untouched(now)).toEqual(untouched(before));
}

test('every rollout of a search tree has a row with the credit of its turns, including shared turns', async () => {
  const { page, errors, close } = await openPage(
    '?v=1&rule=mt-grpo-exact&maxTurns=4&groupSize=3&branches=2&questions=2&minibatches=1&panels=group,controls',
  );
  await untilStep(page, 1);
  const { group } = await pauseAtGroup(page, ({ rollouts }) => rollouts.some(({ turns }) => turns.length > 2));
  const leaves = group.forest.turns.filter(({ outcome }) => outcome !== undefined).length;
  const rows = panel(page).locator('tw-group-table tbody tr');
  await eventually(() => rows.count()).toBe(leaves);
  for (const [index, { turns }] of group.rollouts.entries()) {
    await eventually(() => rows.nth(index).locator('.credit b').allInnerTexts()).toEqual(
      turns.map(({ advantage }) => signed(advantage)),
    );
    expect(group.forest.turns[turns[0].forestTurn].parent).toBe(-1);
  }
  // The derivation of a turn with several continuations shows their mean credit.
  const long = group.rollouts.findIndex(({ turns }) => turns.length > 2);
  await panel(page)
    .getByRole('button', { name: `Show the transcript of rollout ${long + 1}`, exact: true })
    .click();
  await panel(page).locator('tw-turn-credit summary').click();
  await panel(page).locator('tw-turn-credit').getByText('mean A_c').first().waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('another rule assigns credit to a displayed tree of programs without an effect on the run', async () => {
  const { page, errors, close } = await openPage(
    `${REPAIR}&rule=murphy-mars&inter=1&mersGamma=0.5&panels=group,inspector,log`,
  );
  await untilStep(page, 1);
  // The group needs two response groups of refinements, so that one is pruned, and different rewards.
  const before = await pauseAtGroup(page, ({ forest: { turns } }) => {
    const parents = new Set(turns.map(({ parent }) => parent));
    return parents.size > 2 && new Set(turns.map(({ reward }) => reward)).size > 1;
  });
  const { group } = before;
  await eventually(() => drawn(page)).toEqual(computeExpected(before));
  await eventually(() => drawn(page)).toContain('pruned');
  await eventually(() => panel(page).getByRole('treeitem').count()).toBe(group.forest.turns.length);
  await panel(page).getByText('Shown: Murphy-MaRS, the rule of the run.').waitFor();

  await panel(page).getByRole('radio', { name: 'Murphy-MeRS' }).check({ force: true });
  await eventually(() => drawn(page)).toEqual(computeExpected(before, { rule: 'murphy-mers' }));
  await panel(page)
    .getByText(/Murphy-MeRS on the same programs. The run trains with Murphy-MaRS/)
    .waitFor();
  // The parameters of the other rule have the values of the run until the user changes them here.
  await panel(page).getByText('Murphy-MeRS parameters').click();
  const gamma = panel(page).getByRole('spinbutton', { name: 'Weight of continuations' });
  await eventually(async () => Number(await gamma.inputValue())).toBe(before.controls.mersGamma);
  expect(before.controls.mersGamma).toBe(0.5);
  // The button restores the value of the run, not the default of the rule.
  const reset = panel(page).getByRole('button', { name: 'Reset Weight of continuations to the run’s value' });
  await eventually(() => reset.count()).toBe(0);
  await gamma.fill('0.1');
  await gamma.press('Enter');
  const changed = withValues(runChoice('murphy-mers', before.controls), 'murphy-mers', { gamma: 0.1 });
  await eventually(() => drawn(page)).toEqual(computeExpected(before, changed));
  await reset.click();
  await eventually(() => drawn(page)).toEqual(computeExpected(before, { rule: 'murphy-mers' }));
  await eventually(async () => Number(await gamma.inputValue())).toBe(0.5);
  await gamma.fill('0.1');
  await gamma.press('Enter');
  await eventually(() => drawn(page)).toEqual(computeExpected(before, changed));

  await panel(page).getByRole('treeitem').first().click();
  await expectAccessible(page);

  // Rules that require chains are listed with the reason.
  await panel(page)
    .getByText(/rules cannot read this group$/)
    .click();
  await panel(page)
    .getByText(/GRPO-MT.*turns \d+, \d+ all continue this turn/)
    .waitFor();
  await panel(page).getByRole('button', { name: 'Reset to the run' }).click();
  await eventually(() => drawn(page)).toEqual(computeExpected(before));
  await expectUntouched(page, before);
  await page.getByText('No events yet.').waitFor();

  // The Inspector shows the same tree.
  await page.getByRole('button', { name: 'Open the group of the run' }).click();
  await eventually(() => page.locator('tw-inspector').getByRole('treeitem').count()).toBe(group.forest.turns.length);
  expect(errors).toEqual([]);
  await close();
});

test('a sampled tied group shows its credit under the rule of the run and under another rule', async () => {
  // Two rollouts, which often have equal outcomes.
  const { page, errors, close } = await openPage(
    '?v=1&questions=2&groupSize=2&minibatches=1&rule=mt-grpo&panels=group',
  );
  await untilStep(page, 2);
  await pause(page);
  // One click samples a few groups. If none of them is tied, the test clicks again.
  await eventually(async () => {
    await page.getByRole('button', { name: 'Sample a tied group' }).click();
    await untilAnswered(page);
    return (await readRun(page, 'group')).group?.sampleOnly;
  }).toBe(true);
  const { group } = await readRun(page, 'group');
  expect(new Set(group?.rollouts.map(({ outcome }) => outcome)).size).toBe(1);
  await panel(page).getByText('not trained on').waitFor();
  const credit = panel(page).locator('tw-turn-credit');
  await credit.getByText('How rollout 1’s advantages are computed').click();
  await credit.getByRole('heading', { name: /MT-GRPO/ }).waitFor();
  await credit.getByRole('combobox').selectOption({ label: 'GRPO-OR' });
  await credit.getByText('the run trains with MT-GRPO').waitFor();
  await credit
    .locator('tw-worked')
    .getByText(/^A = 0, because all 2 have /)
    .waitFor();
  await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('mt-grpo');
  expect(errors).toEqual([]);
  await close();
});

test('an open program keeps its tests and tokens while the run continues', async () => {
  const { page, errors, close } = await openPage(`${REPAIR}&rule=grpo-mt&panels=group`);
  await untilStep(page, 1);
  const { group, step } = await pauseAtGroup(page, ({ forest }) => forest.turns.length > 4);
  const last = group.rollouts.flatMap(({ turns }) => turns).at(-1);
  const { detail, forestTurn = 0 } = last ?? {};
  if (!detail) throw new Error('the last turn has no program');
  const node = panel(page).locator(`tw-program-tree [data-turn="${forestTurn}"]`);
  await node.focus();
  await node.press('Enter');
  await panel(page)
    .getByRole('heading', { name: `Turn ${forestTurn}` })
    .waitFor();
  await eventually(() => panel(page).getByRole('group', { name: 'Program', exact: true }).innerText()).toBe(
    detail.program,
  );
  const passed = detail.tests.filter((result) => result.passed).length;
  await eventually(() => panel(page).locator('tw-program tbody tr.passed').count()).toBe(passed);
  const tokens = panel(page).locator('tw-turn .tokens .shade');
  await eventually(() => tokens.count()).toBe(group.forest.turns[forestTurn].tokens);

  // The group remains and is marked as pinned. Unpinning it closes the program.
  await page.getByRole('button', { name: 'Play' }).click();
  await untilStep(page, step + 3);
  const pin = page.getByRole('checkbox', { name: 'Pin this group' });
  await eventually(() => pin.isChecked()).toBe(true);
  await panel(page)
    .getByText(`update ${group.step + 1}`, { exact: true })
    .waitFor();
  // The worker does not send groups while one is pinned. After unpinning, the newest group arrives immediately.
  await eventually(async () => (await readRun(page, 'group')).group?.step).toBe(group.step);
  await pin.uncheck();
  await eventually(async () => (await readRun(page, 'group')).group?.step).toBeGreaterThan(group.step);
  await eventually(() =>
    panel(page)
      .getByText(`update ${group.step + 1}`, { exact: true })
      .count(),
  ).toBe(0);
  await eventually(() => panel(page).locator('tw-turn').count()).toBe(0);

  // A sample arrives immediately and remains. Escape closes the open turn and keeps the focus in the drawing.
  await page.getByRole('button', { name: 'Sample a new group' }).click();
  await panel(page).getByText('not trained on').waitFor();
  await panel(page).getByRole('treeitem').first().click();
  await panel(page).getByRole('button', { name: 'Close turn 0' }).waitFor();
  await panel(page).getByRole('treeitem').first().press('Escape');
  await eventually(() => panel(page).locator('tw-turn').count()).toBe(0);
  await eventually(() => pin.isChecked()).toBe(true);
  expect(errors).toEqual([]);
  await close();
});

test('a paused run shows the group of its newest update in the same frame', async () => {
  const { page, errors, close } = await openPage('?v=1&questions=1&groupSize=4&minibatches=1&panels=group,log');
  await untilStep(page, 3);
  await panel(page)
    .getByText(/^update \d+$/)
    .waitFor();
  const whenPaused = () =>
    panel(page).evaluate(async (element) => {
      const frame = () => new Promise(requestAnimationFrame);
      const { session } = (document.querySelector('tw-app') as App).run;
      while (session.model.status !== 'paused') await frame();
      await frame();
      const update = /update (\d+)/.exec(element.shadowRoot?.textContent ?? '')?.[1];
      return { update: Number(update), step: session.model.step };
    });
  for (let pauses = 0; pauses < 3; pauses++) {
    const paused = whenPaused();
    await page.getByRole('button', { name: 'Pause' }).click();
    const { update, step } = await paused;
    expect(update).toBe(step);
    await page.getByRole('button', { name: 'Play' }).click();
    await untilStep(page, step + 2);
  }
  expect(errors).toEqual([]);
  await close();
});

test('changed test weights of VeRPO have no effect on the run, and a hidden group is not drawn', async () => {
  const { page, errors, close } = await openPage(`${REPAIR}&rule=verpo&panels=group,log`);
  await untilStep(page, 3);
  // The panel of a group does not change while it is not visible.
  await page.getByRole('link', { name: 'Inspector', exact: true }).click();
  await eventually(() => panel(page).isVisible()).toBe(false);
  await untilStep(page, (await readRun(page, 'step')).step + 1);
  const readUpdate = () =>
    panel(page)
      .getByText(/^update \d+$/)
      .textContent();
  const displayed = await readWhen(readUpdate, (text) => text !== null);
  await untilStep(page, (await readRun(page, 'step')).step + 2);
  await eventually(readUpdate).toBe(displayed);
  await page.getByRole('link', { name: 'Playground', exact: true }).first().click();
  await eventually(readUpdate).not.toBe(displayed);

  const before = await pauseAtGroup(page, ({ forest }) => new Set(forest.turns.map(({ reward }) => reward)).size > 1);
  await eventually(() => drawn(page)).toEqual(computeExpected(before));
  const chart = panel(page).locator('tw-test-weights');
  await chart.getByRole('listbox').waitFor();
  const alpha = chart.getByRole('slider', { name: 'Weight of difficulty' });
  for (let press = 0; press < 5; press++) await alpha.press('ArrowRight');
  const start = Number(before.controls.alpha ?? 2);
  const field = chart.getByRole('spinbutton', { name: 'Weight of difficulty' });
  // Each press adds one step of the parameter, so the field shows five steps after the last press.
  const now = start + 5 * ALPHA_STEP;
  await eventually(async () => Number(await field.inputValue())).toBeCloseTo(now, 9);
  const changed = withValues(runChoice('verpo', before.controls), 'verpo', { alpha: now });
  await eventually(() => drawn(page)).toEqual(computeExpected(before, changed));
  await panel(page).getByText('VeRPO with other parameters than the run').waitFor();
  await panel(page).getByRole('radio', { name: 'GRPO-MT' }).check({ force: true });
  await eventually(() => drawn(page)).toEqual(computeExpected(before, { rule: 'grpo-mt' }));
  await eventually(() => chart.count()).toBe(0);
  await expectUntouched(page, before);
  expect(errors).toEqual([]);
  await close();
});

test('the tree of states of episodes changes with the granularity of states and with the prior', async () => {
  const { page, errors, close } = await openPage(`${REPO}&panels=group,log`);
  await untilStep(page, 1);
  const answered = ({ rollouts }: GroupView) =>
    rollouts.flatMap(({ turns }) => turns).find(({ tool }) => tool && tool.answer.length > 0);
  const before = await pauseAtGroup(page, (group) => {
    const { turns } = group.forest;
    const solved = turns.filter(({ outcome }) => outcome !== undefined).map((turn) => turn.solved === true);
    return (new Set(solved).size > 1 || turns.length > 12) && answered(group) !== undefined;
  });
  const { group, controls } = before;
  const run = runChoice('rtmc', controls);
  const options = () =>
    panel(page)
      .getByRole('option', { name: /^In s\d+, / })
      .count();
  /** Returns RTMC's advantage of every step, in the format of the strips. */
  const strips = async () =>
    (await panel(page).locator('tw-rollout-strips tbody tr td:nth-child(4)').allInnerTexts()).map(
      (text) => `A ${text}`,
    );
  const expected = (choice: CreditChoice) => computeExpected(before, choice);
  await eventually(options).toBe(rolloutGraph(group.forest, run.values.rtmc).edges.length);
  await eventually(strips).toEqual(expected(run));

  const states = panel(page).getByRole('combobox', { name: 'Two states are equal if' });
  await eventually(() => states.inputValue()).toBe(controls.granularity);
  await states.selectOption('coarse');
  const coarse = { ...run, states: 'coarse' };
  await eventually(strips).toEqual(expected(coarse));
  const kappa = panel(page).getByRole('spinbutton', { name: 'Weight of the prior' });
  await kappa.fill('0');
  await kappa.press('Enter');
  await eventually(strips).toEqual(expected(withValues(coarse, 'rtmc', { kappa: 0 })));
  await panel(page).getByText('RTMC with other parameters than the run').waitFor();

  // A click on a step opens its tool call and the reply in the rollout.
  const viewed = answered(group);
  const answer = viewed?.tool?.answer.map((line) => line.map(({ text }) => text).join('')).join('\n');
  await panel(page).locator(`tw-rollout-strips [data-turn="${viewed?.forestTurn}"]`).click();
  await eventually(() => panel(page).locator('tw-tool-call pre').innerText()).toBe(answer);
  await eventually(() => panel(page).locator('tw-tool-call .call').innerText()).toBe(viewed?.tool?.call);
  await eventually(() => page.getByRole('checkbox', { name: 'Pin this group' }).isChecked()).toBe(true);
  await expectAccessible(page);

  await panel(page).getByRole('button', { name: 'Reset to the run' }).click();
  await eventually(strips).toEqual(expected(run));
  await expectUntouched(page, before);
  await page.getByText('No events yet.').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('slow motion shows the parts of one update with the numbers of its batch', async () => {
  const { page, errors, close } = await openPage(
    '?v=1&questions=2&groupSize=4&minibatches=1&rule=mt-grpo&panels=group,log',
    // With reduced motion, slow motion starts paused.
    { reducedMotion: 'no-preference' },
  );
  await untilStep(page, 2);
  const { step } = await pause(page);
  await page.getByRole('button', { name: 'Slow motion' }).click();
  const slow = panel(page).locator('tw-slow-motion');
  await slow.getByRole('heading', { name: `Update ${step + 1} in slow motion` }).waitFor();
  await untilStep(page, step + 1);
  const { group } = await readGroup(page);
  // Pause slow motion, which can have advanced automatically, and return to its first part.
  await slow.getByRole('button', { name: 'Pause' }).click();
  const back = slow.getByRole('button', { name: 'Back' });
  await eventually(async () => {
    const there = await back.isDisabled();
    if (!there) await back.click();
    return there;
  }).toBe(true);
  await slow.getByRole('button', { name: 'Next' }).click();
  const part = (name: string) => slow.locator('.parts [aria-current]').getByText(name, { exact: true }).waitFor();
  await part('Sample');
  for (const name of ['Reward', 'Compare', 'Credit', 'Update']) {
    await slow.getByRole('button', { name: 'Next' }).click();
    await part(name);
  }
  const credits = group.rollouts.flatMap(({ turns }) => turns.map(({ advantage }) => signed(advantage)));
  await eventually(() => slow.locator('tbody b').allInnerTexts()).toEqual(credits);
  await slow.getByText(/^The optimiser changed the weights: the probability of \d+ of \d+ turns/).waitFor();
  await slow.getByRole('button', { name: 'Back' }).click();
  await part('Credit');
  await slow.getByRole('button', { name: 'Another update' }).click();
  await slow.getByRole('heading', { name: `Update ${step + 2} in slow motion` }).waitFor();
  await slow.getByRole('button', { name: 'Close' }).click();
  await eventually(() => slow.count()).toBe(0);
  // If the update does not arrive, the page must not ask the user to wait.
  const notice = panel(page).getByText('One update is running.');
  await page.getByRole('button', { name: 'Slow motion' }).evaluate((button: HTMLButtonElement) => {
    const { session } = (document.querySelector('tw-app') as App).run.session;
    button.click();
    (session as unknown as { worker: Worker }).worker.dispatchEvent(new ErrorEvent('error', { message: 'lost' }));
  });
  await page.getByRole('alert', { name: 'Problems' }).getByText('lost').waitFor();
  await eventually(() => notice.count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});
