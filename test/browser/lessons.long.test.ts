import { test } from 'vitest';
import { expectTrainedLesson } from './trainedLesson.ts';

test.each([
  ['adding-up', ['write', 'pick']],
  ['critic', ['write', 'write']],
  ['second-tries', ['write', 'write', 'pick']],
  ['tests-that-count', ['write', 'pick']],
] as const)('%s: its statements hold, and each of its exercises corrects itself', expectTrainedLesson);
