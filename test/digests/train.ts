import { startedRun } from '../../scripts/startedRun.ts';
import { readUrl } from '../../src/app/address/url.ts';
import { DIGEST_STEPS, type DigestCase } from './cases.ts';

/**
 * Trains a run on the exact engine.
 * @returns digests of its parameters after the numbers of updates in `DIGEST_STEPS`
 */
export async function trainDigests({ query }: DigestCase): Promise<(number | null)[]> {
  const { configuration } = readUrl(query);
  const run = await startedRun(configuration);
  const digests: (number | null)[] = [];
  while (run.step < Math.max(...DIGEST_STEPS)) digests.push((await (await run.update()).metrics).parameterDigest);
  run.destroy();
  return DIGEST_STEPS.map((step) => digests[step - 1]);
}
