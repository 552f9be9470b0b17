// Trains the runs of cases.ts in this JavaScript runtime and compares their digests: `npm run digests`, or `bun test/digests/main.ts`.
import { readUrl } from '../../src/app/address/url.ts';
import { nodeExactDevice } from '../../src/cli/framework/exactDevice.ts';
import { openWorld } from '../../src/cli/framework/openWorld.ts';
import { loadStart } from '../../src/cli/framework/policyFiles.ts';
import { Run } from '../../src/training/run/run.ts';
import { DIGEST_CASES, DIGEST_STEPS } from './cases.ts';

const device = await nodeExactDevice();
const [part = ''] = process.argv.slice(2);
const cases = DIGEST_CASES.filter(({ name }) => name.includes(part));
if (cases.length === 0) throw new Error(`no run has ${JSON.stringify(part)} in its name: ${names(DIGEST_CASES)}`);
let differences = 0;
for (const { name, query, digests } of cases) {
  const { configuration } = readUrl(query);
  const opened = await openWorld(configuration);
  const run = await Run.create(device, configuration, () => {}, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  for (const [index, step] of DIGEST_STEPS.entries()) {
    let found: number | null = null;
    while (run.step < step) found = (await (await run.update()).metrics).parameterDigest;
    const equal = found === digests[index];
    if (!equal) differences++;
    const verdict = equal ? 'equal' : `not ${digests[index]}`;
    process.stdout.write(`${name}, update ${step}: ${found}, ${verdict}\n`);
  }
  run.destroy();
}
const { bun, node, v8 } = process.versions;
process.stdout.write(`${bun ? `bun ${bun}` : `Node ${node}, V8 ${v8}`}: ${differences} digests differ\n`);
process.exit(differences > 0 ? 1 : 0);

function names(all: typeof DIGEST_CASES): string {
  return all.map(({ name }) => name).join('; ');
}
