import { beforeAll, test } from 'vitest';
import { eventually } from './app.ts';
import type { OpenPage } from './chromium.ts';
import { findings } from './findings.ts';
import { openFullPage } from './fullPage.ts';

let full: OpenPage;

beforeAll(async () => {
  full = await openFullPage();
});

test.each([
  ['light', 360],
  ['light', 1280],
  ['dark', 1280],
] as const)('contrast, names and structure hold in %s at %i px', async (scheme, width) => {
  await eventually(() => findings(full.page, scheme, width)).toEqual([]);
});
