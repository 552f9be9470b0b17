import { expect, test } from 'vitest';
import { readUrl } from '../../../src/app/address/url.ts';
import { DIGEST_CASES, DIGEST_STEPS } from '../../digests/cases.ts';
import { begunRun } from './begunRun.ts';

test.each(DIGEST_CASES)('runs on Node have the committed digests: $name', async ({ query, digests }) => {
  const { configuration, notices } = readUrl(query);
  expect(notices).toEqual([]);
  const run = await begunRun(configuration);
  const found: (number | null)[] = [];
  while (run.step < Math.max(...DIGEST_STEPS)) found.push((await (await run.update()).metrics).parameterDigest);
  expect(DIGEST_STEPS.map((step) => found[step - 1])).toEqual(digests);
});
