import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { follow, runIn } from '../../tutorial.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-first-kernel-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the kernel of CONTRIBUTING.md, on a copy of the repository, says what the float64 form says', () => {
  follow('Your first rule in 20 minutes', folder);
  runIn(folder, 'scripts/kernels.ts');
  const turns = [
    ...[
      { parent: -1, reward: 0 },
      { parent: 0, reward: 0 },
      { parent: 1, reward: 0, outcome: 1 },
    ],
    ...[
      { parent: -1, reward: 0, outcome: 0 },
      { parent: -1, reward: 0 },
      { parent: 4, reward: 0, outcome: 0.25 },
    ],
  ];
  writeFileSync(join(folder, 'groups.jsonl'), `${JSON.stringify({ id: 'g', turns })}\n`);
  const advantage = (device: string): number[] => {
    const line = `credit ${device} --rule discounted-outcome --set gamma=0.25 groups.jsonl`;
    return JSON.parse(runIn(folder, 'src/cli/main.ts', ...line.trim().split(/ +/))).advantage;
  };
  const [exact, found] = [advantage('--device cpu'), advantage('')];
  expect(exact[0]).toBeCloseTo(exact[2] / 16, 12);
  expect(found).toHaveLength(exact.length);
  found.forEach((value, turn) => {
    expect(value).toBeCloseTo(exact[turn], 5);
  });
});
