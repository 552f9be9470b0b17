import { expect, test } from 'vitest';
import { DIGEST_CASES } from '../../digests/cases.ts';
import { trainDigests } from '../../digests/train.ts';

test.each(DIGEST_CASES)('runs on Node have the committed digests: $name', async (run) => {
  expect(await trainDigests(run)).toEqual(run.digests);
});
