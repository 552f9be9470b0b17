import { readUrl } from '../../src/app/address/url.ts';
import { nodeExactDevice } from '../../src/cli/framework/exactDevice.ts';
import { openWorld } from '../../src/cli/framework/openWorld.ts';
import { loadStart } from '../../src/cli/framework/policyFiles.ts';
import { Run } from '../../src/training/run/run.ts';
import { DIGEST_STEPS, type DigestCase } from './cases.ts';

/** Trains a run on the exact engine. @returns the digests of its parameters after the updates of `DIGEST_STEPS` */
export async function trainDigests({ query }: DigestCase): Promise<(number | null)[]> {
  const { configuration } = readUrl(query);
  const opened = await openWorld(configuration);
  const run = await Run.create(await nodeExactDevice(), configuration, () => {}, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  const digests: (number | null)[] = [];
  while (run.step < Math.max(...DIGEST_STEPS)) digests.push((await (await run.update()).metrics).parameterDigest);
  run.destroy();
  return DIGEST_STEPS.map((step) => digests[step - 1]);
}
