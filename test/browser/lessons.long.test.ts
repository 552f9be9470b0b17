import { test } from 'vitest';
import { expectRecordedLesson } from './recordedLesson.ts';

test.each([
  ['adding-up', ['write', 'pick']],
  ['critic', ['write', 'write']],
  ['tests-that-count', ['write', 'pick']],
] as const)('%s from recordings: its statements hold, and each of its exercises corrects itself', expectRecordedLesson);
