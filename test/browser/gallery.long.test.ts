import { expect, test } from 'vitest';
import { ELSEWHERE, FOLDERS } from '../gallery/specimens/index.ts';
import { eventually, readWhen } from './app.ts';
import { expectNoFindings, gallery, openGallery, show } from './galleryPage.ts';

/** Elements with drawings. */
const DRAWINGS = [
  ...[
    'tw-class-chart',
    'tw-density-figure',
    'tw-lab-figure',
    'tw-line-chart',
    'tw-predict-chart',
    'tw-print-sheet',
    'tw-program-tree',
    'tw-rollout-tree',
    'tw-spread',
    'tw-test-weights',
    'tw-truth-scatter',
    'tw-why-moves',
  ],
];

openGallery();

test('the gallery opens without an error and shows every specimen', async () => {
  const specimens = Object.values(FOLDERS).flatMap((folder) => Object.values(folder).flat());
  await eventually(() => gallery().page.locator('.stage').count()).toBe(specimens.length);
  await eventually(() => gallery().page.locator('section.kind').count()).toBe(
    Object.values(FOLDERS).flatMap((folder) => Object.keys(folder)).length + Object.keys(ELSEWHERE).length,
  );
  expect(gallery().errors).toEqual([]);
});

test('the drawings of the gallery equal the stored drawings', async () => {
  await show('light', 1000);
  const { page } = gallery();
  let before = '';
  const pictures = await readWhen(
    () => page.evaluate(() => globalThis.gallery.pictures()),
    (now) => {
      const [last, text] = [before, JSON.stringify(now)];
      before = text;
      return text === last;
    },
  );
  expect(Object.keys(pictures).sort()).toEqual(DRAWINGS);
  for (const [name, picture] of Object.entries(pictures)) {
    await expect(picture).toMatchFileSnapshot(`../fixtures/gallery/${name}.txt`);
  }
});

test.each([
  ['dark', 320],
  ['light', 1000],
] as const)('in %s at %i px, all specimens fit and axe has no findings', expectNoFindings);
