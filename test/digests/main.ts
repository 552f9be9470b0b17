// Trains the runs of cases.ts in the current JavaScript runtime and compares their digests: `npm run digests`, or
// `bun test/digests/main.ts`.
import { DIGEST_CASES, DIGEST_STEPS } from './cases.ts';
import { trainDigests } from './train.ts';

const [part = ''] = process.argv.slice(2);
const cases = DIGEST_CASES.filter(({ name }) => name.includes(part));
if (cases.length === 0) {
  const names = DIGEST_CASES.map(({ name }) => name).join('; ');
  throw new Error(`no run has ${JSON.stringify(part)} in its name: ${names}`);
}
let differences = 0;
for (const run of cases) {
  const trained = await trainDigests(run);
  for (const [i, step] of DIGEST_STEPS.entries()) {
    const isEqual = trained[i] === run.digests[i];
    if (!isEqual) differences++;
    const result = isEqual ? 'equal' : `not ${run.digests[i]}`;
    process.stdout.write(`${run.name}, update ${step}: ${trained[i]}, ${result}\n`);
  }
}
const { bun, node, v8 } = process.versions;
process.stdout.write(`${bun ? `bun ${bun}` : `Node ${node}, V8 ${v8}`}: ${differences} digests differ\n`);
process.exit(differences > 0 ? 1 : 0);
