import { expect, test } from 'vitest';
import { DIGEST_CASES, DIGEST_STEPS } from '../digests/cases.ts';
import { readRun, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test.each(DIGEST_CASES)('runs in Chromium have the committed digests: $name', async ({ query, digests }) => {
  const { page, errors, close } = await openPage(query, { real: true });
  await untilStep(page, Math.max(...DIGEST_STEPS));
  const { metrics, configuration } = await readRun(page, 'metrics', 'configuration');
  expect(configuration.engine).toBe('exact/1');
  expect(DIGEST_STEPS.map((step) => metrics[step - 1].parameterDigest)).toEqual(digests);
  expect(errors).toEqual([]);
  await close();
});
