import { writeFileSync } from 'node:fs';
import { ENVIRONMENT_NAMES } from '../src/environments/registry.ts';
import { sampledOpening } from './sampledOpening.ts';

// `npm run record:opening`: writes the groups that the page shows before the first group of a run.
for (const name of ENVIRONMENT_NAMES) {
  const file = new URL(`../src/app/picture/opening/${name}.json`, import.meta.url);
  const group = await sampledOpening(name);
  writeFileSync(file, `${JSON.stringify(group)}\n`);
  process.stdout.write(`${file.pathname}: ${group.lanes.length} lanes\n`);
}
process.exit();
