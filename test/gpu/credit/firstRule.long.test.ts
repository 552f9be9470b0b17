import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyRepository, runIn } from '../../tutorial.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-first-kernel-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the kernel that `rules --new` writes computes the credit of its float64 form', () => {
  copyRepository(folder);
  runIn(folder, 'src/cli/main.ts', 'rules', '--new', 'first-rule');
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
    const line = `credit ${device} --rule first-rule --set gamma=0.25 groups.jsonl`;
    return JSON.parse(runIn(folder, 'src/cli/main.ts', ...line.trim().split(/ +/))).advantage;
  };
  const [exact, actual] = [advantage('--device cpu'), advantage('--device gpu')];
  expect(exact[0]).toBeCloseTo(exact[2] / 16, 12);
  expect(actual).toHaveLength(exact.length);
  actual.forEach((value, turn) => {
    expect(value).toBeCloseTo(exact[turn], 5);
  });
});
