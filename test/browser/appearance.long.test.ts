import { expect, test } from 'vitest';
import { SMALL, STACKED, unfold, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

test('axe has no findings on a page that trains', async () => {
  const training = await openPage(SMALL);
  await untilStep(training.page, 2);
  await expectAccessible(training.page);
  await training.close();
});

test('every interactive element of the page has a role and a name', async () => {
  const { page, context, close } = await openPage(STACKED);
  await untilStep(page, 2);
  await unfold(page);
  const session = await context.newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const roles = ['button', 'radio', 'slider', 'spinbutton', 'combobox', 'checkbox', 'link', 'DisclosureTriangle'];
  const operated = nodes.filter(({ ignored, role }) => !ignored && roles.includes(String(role?.value)));
  expect(operated.length).toBeGreaterThan(100);
  expect(operated.filter(({ name }) => !String(name?.value ?? '').trim()).map(({ role }) => role?.value)).toEqual([]);
  // Each chart has a cursor, whose name must be unique.
  const charts = nodes.filter(({ role }) => role?.value === 'slider').map(({ name }) => String(name?.value));
  const cursors = charts.filter((name) => name.includes('update to read'));
  expect(new Set(cursors).size).toBe(13);
  await page.getByRole('region', { name: 'Curves' }).waitFor();
  await page.getByRole('complementary', { name: 'Controls' }).waitFor();
  await page.getByRole('main').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Turnwise' }).waitFor();
  await close();
});
