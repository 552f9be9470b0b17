import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readLessons } from '../../src/lessons/lessonFiles.ts';
import { writeResultFile } from '../../src/lessons/results/resultFile.ts';
import { root } from '../files.ts';
import { IS_LONG } from '../isLong.ts';
import { classFixture } from '../unit/lessons/results/resultFixture.ts';
import { eventually } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

const createFiles = (students: number) =>
  classFixture(students).map(({ file, result }) => ({
    name: file,
    mimeType: 'application/json',
    buffer: Buffer.from(writeResultFile(result)),
  }));

test('the page for teachers has lesson plans, and shows the predictions in the result files of a class', async () => {
  const { page, errors, close } = await openPage('#learn');
  await page.getByRole('link', { name: /^For teachers/ }).click();
  await heading(page, 'For teachers').waitFor();
  await page.getByText('45 minutes', { exact: true }).click();
  await page.getByText('Everybody predicts alone before anybody trains.').waitFor();

  const bad = { name: 'holiday.json', mimeType: 'application/json', buffer: Buffer.from('{"format":"postcard"}') };
  await page.locator('tw-class input[type=file]').setInputFiles([...createFiles(12), bad]);
  await page.getByText('holiday.json cannot be read: it is no result file of the lessons.').waitFor();
  await heading(page, 'One reward for everything: 12 first predictions').waitFor();
  await eventually(() => page.locator('tw-class-chart svg[role=img] .predicted').count()).toBe(12);
  await page.getByText(/^The first predictions were \d+ points away/).waitFor();
  await eventually(() => page.locator('tw-class .bar.right .after b').first().textContent()).toBe('12');
  // Names are only in the list of files, which is closed.
  await eventually(() => page.getByText('student-1.json (S1)').isVisible()).toBe(false);
  await expectAccessible(page);
  // A file that is opened again replaces its earlier version.
  await page.locator('tw-class input[type=file]').setInputFiles(createFiles(2));
  await eventually(() => page.locator('tw-class-chart svg[role=img] .predicted').count()).toBe(12);
  await page.getByRole('button', { name: 'Close all' }).click();
  await eventually(() => page.locator('tw-class-chart').count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('the page for teachers also opens at #learn/teachers', async () => {
  const { page, errors, close } = await openPage('#learn/teachers');
  await heading(page, 'For teachers').waitFor();
  await eventually(() => page.title()).toBe('For teachers · Turnwise');
  await page.getByRole('cell', { name: 'about 30 s', exact: true }).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('the notes of a lesson have links that open the lesson at a reading level', async () => {
  const { page, errors, close } = await openPage('#learn/teach/tool-dies');
  await heading(page, 'The search reward ends').waitFor();
  await heading(page, 'Common misunderstandings').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: /#learn\/tool-dies\/engineer$/ }).click();
  await page.getByText('Reading level').waitFor();
  await eventually(() => new URL(page.url()).hash).toBe('#learn/tool-dies/engineer');
  await eventually(() => page.getByRole('radio', { name: 'Engineer' }).isChecked()).toBe(true);
  expect(errors).toEqual([]);
  await close();
});

const SHEETS = readLessons(join(root, 'lessons')).flatMap(({ name }) => [
  [name, 'worksheet'],
  [name, 'key'],
]);

// The gate prints the sheets of one lesson, `npm run test:all` prints the sheets of all lessons.
test.each(IS_LONG ? SHEETS : SHEETS.slice(0, 2))(
  'in lesson %s, the %s prints on one page in dark text, without the elements of the screen',
  async (lesson, sheet) => {
    const { page, errors, close } = await openPage(`#learn/teach/${lesson}/${sheet}`, { colorScheme: 'dark' });
    await page.locator('tw-print-sheet h1').waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const screen of ['tw-places', 'tw-lessons footer', 'tw-print-sheet button']) {
      await eventually(() => page.locator(screen).isVisible(), screen).toBe(false);
    }
    const colour = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).color);
    await eventually(() => colour('tw-print-sheet tw-lesson-prose')).toBe('rgb(17, 17, 17)');
    await eventually(() => page.locator('tw-print-sheet svg').count()).toBe(sheet === 'worksheet' ? 1 : 0);
    const margin = { top: '16mm', bottom: '16mm', left: '18mm', right: '18mm' };
    const pdf = await page.pdf({ format: 'A4', margin });
    // The page tree of a PDF has the number of pages.
    const [, count] = /\/Type\s*\/Pages[^>]*\/Count\s+(\d+)/.exec(pdf.toString('latin1')) ?? [];
    expect(Number(count)).toBe(1);
    // TURNWISE_SHEETS is a folder for the PDF files, for visual inspection.
    const folder = process.env.TURNWISE_SHEETS;
    if (folder) writeFileSync(join(folder, `${lesson}-${sheet}.pdf`), pdf);
    expect(errors).toEqual([]);
    await close();
  },
);
