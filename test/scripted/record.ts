import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUrl } from '../../src/app/address/url.ts';
import { nodeExactDevice } from '../../src/cli/framework/node.ts';
import { loadStart } from '../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../src/cli/framework/worldRuns.ts';

import { Run } from '../../src/training/run/run.ts';
import { type GroupBank, type RecordedGroup, recordGroups } from './groupBank.ts';
import { BANK_FOLDER } from './readBanks.ts';

/** Runs whose groups are recorded, with link and number of updates. Each update records one group. */
const RUNS: Readonly<Record<string, readonly [link: string, updates: number]>> = {
  search: ['?v=1&world=shortcut&rule=mt-grpo&seed=1&questions=1&groupSize=8&minibatches=1', 24],
  'search-tree': ['?v=1&rule=mt-grpo-exact&maxTurns=4&groupSize=3&branches=2&questions=1&minibatches=1', 8],
  repair: ['?v=1&environment=repair&rule=grpo-mt&questions=1&programs=0&groupSize=4&minibatches=1', 10],
  'repair-tree': [
    '?v=1&environment=repair&rule=murphy-mars&questions=1&programs=0&treeRoots=3&treeChildren=2&minibatches=1',
    10,
  ],
  repo: ['?v=1&environment=repo&rule=rtmc&questions=1&groupSize=4&minibatches=1', 6],
  bandit: ['?v=1&environment=bandit&rule=mt-grpo&questions=1&groupSize=8&minibatches=1', 8],
};

/** Trains the named runs and writes their groups to test/fixtures/scripted: `npm run record:scripted -- [NAME ...]`. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !Object.hasOwn(RUNS, name));
  if (unknown) throw new Error(`no run "${unknown}"; known: ${Object.keys(RUNS).join(', ')}`);
  const device = await nodeExactDevice();
  mkdirSync(BANK_FOLDER, { recursive: true });
  for (const name of names.length > 0 ? names : Object.keys(RUNS)) {
    const [link, updates] = RUNS[name];
    const { configuration } = readUrl(link);
    const opened = await openWorld(configuration);
    const run = await Run.create(device, configuration, undefined, opened);
    run.beginWith(loadStart(opened.world, undefined).state);
    const groups: RecordedGroup[] = [];
    while (run.step < updates) {
      const { batch, metrics } = await run.update();
      await metrics;
      groups.push(...recordGroups(batch));
    }
    run.destroy();
    const bank: GroupBank = { recordedWith: `${link}, ${updates} updates`, groups };
    const file = join(BANK_FOLDER, `${name}.json`);
    writeFileSync(
      file,
      `{"recordedWith":${JSON.stringify(bank.recordedWith)},"groups":[\n${groups.map((group) => JSON.stringify(group)).join(',\n')}\n]}\n`,
    );
    process.stdout.write(`${file}: ${groups.length} groups\n`);
  }
}

await main(process.argv.slice(2));
process.exit();
