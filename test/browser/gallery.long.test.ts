import { test } from 'vitest';
import { expectNoFindings, openGallery } from './galleryPage.ts';

openGallery();

test.each([
  ['dark', 320],
  ['light', 320],
  ['light', 1000],
  ['dark', 1000],
] as const)('all specimens fit, and axe has no findings, in %s at %i px', expectNoFindings);
