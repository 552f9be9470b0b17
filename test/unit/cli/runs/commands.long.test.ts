import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkpointMetadata } from '../../../../src/policy/checkpoint.ts';
import { root } from '../../../files.ts';
import { temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder } = temporaryFolder();

const run = (line: string) => turnwise(line);
const file = join(folder, 'judge.safetensors');
const svg = join(folder, 'judge.svg');

test('an unreliable judge is trained, measured with true labels, and its reward replaces the rule reward', async () => {
  const created = await run(`reward-model --steps 3 --samples 4 --noise 0.2 --bias 0.5 --out ${file} --svg ${svg}`);
  expect(created.code).toBe(0);
  expect(created.out).toMatch(/^training tasks, training labels +\d+ /m);
  const [, all, answers, searches] =
    /^held-out tasks, true labels +(\d+) .*\n +answers +(\d+) .*\n +searches +(\d+) /m.exec(created.out) ?? [];
  expect(Number(answers) + Number(searches)).toBe(Number(all));
  const drawn = [...readFileSync(svg, 'utf8').matchAll(/<title>predicts .* of (\d+) pairs/g)].map(([, pairs]) =>
    Number(pairs),
  );
  expect(drawn.reduce((sum, pairs) => sum + pairs, 0)).toBe(Number(all));
  const data = new Uint8Array(readFileSync(file)).buffer;
  const metadata = JSON.parse(checkpointMetadata(data).rewardModel as string);
  expect(metadata).toMatchObject({ noise: 0.2, bias: 0.5, done: 3, centre: { answers: expect.any(Number) } });

  // A finished reward model is measured and not changed.
  const again = join(folder, 'again.safetensors');
  const measured = await run(`reward-model --resume ${file} --out ${again}`);
  expect([measured.code, measured.out]).toEqual([0, created.out]);
  const [weights, before] = [again, file].map((checkpoint) => readFileSync(checkpoint).subarray(-400_000));
  expect(weights.equals(before)).toBe(true);

  const groups = join(folder, 'groups.jsonl');
  const flags = '--rule mt-grpo --questions 2 --heldOutMode off --steps 1';
  const { code, out } = await run(`train ${flags} --turnReward judge --rewardModel ${file} --groups ${groups}`);
  expect(code).toBe(0);
  const { judgeReward, ruleReward, rewardTurn, components } = JSON.parse(out);
  expect(judgeReward).toBeCloseTo(rewardTurn, 6);
  expect(ruleReward).not.toBeCloseTo(judgeReward, 3);
  expect(components.judge + components.searchCost).toBeCloseTo(judgeReward, 6);
  const [{ turns }] = readFileSync(groups, 'utf8')
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row));
  expect(turns.every(({ reward }: { reward: number }) => Number.isFinite(reward))).toBe(true);
});

test('a world without a judge is reported before the first update, with the command that trains a judge', async () => {
  const { code, err } = await run('train --world open --worldSeed 0 --turnReward unreliable --questions 2 --steps 1');
  expect(code).toBe(1);
  expect(err).toContain(
    'training stopped before update 0: there is no unreliable reward model of this world; make it with\n' +
      '  npm run turnwise -- reward-model --world open --noise 0.2 --bias 0.6',
  );
});

cpSync(join(root, 'lessons'), folder, { recursive: true });

const lessons = (...args: string[]) => turnwise(['lessons', '--folder', folder, '--seeds', '1', ...args]);

test('the first lesson has its stated result on this device, and a false statement is detected', async () => {
  const result = await lessons('one-reward');
  expect(result.err).toContain('grpo-or, seed 1, update 40/40');
  expect([result.code, result.out]).toEqual([
    0,
    expect.stringMatching(
      /^one-reward\nshown .*\nyes +end, answer above 0\.9 by step 40 +1 of 1 +10 of 10 +(0\.9\d|1\.00)\n/,
    ),
  ]);

  const data = join(folder, 'one-reward/lesson.yaml');
  writeFileSync(data, readFileSync(data, 'utf8').replace('above: 0.9, by: 40', 'below: 0.5, by: 40'));
  const wrong = await lessons('one-reward');
  expect([wrong.code, wrong.out]).toEqual([
    1,
    expect.stringMatching(/\nNO +end, answer below 0\.5 by step 40 +0 of 1 /),
  ]);
});

test('an unknown lesson and a lesson with an error are reported before training', async () => {
  expect((await lessons('--first', '2')).err).toContain('--first: seed 2 is above the last seed, --seeds 1');
  const unknown = await lessons('two-rewards');
  expect([unknown.code, unknown.out]).toEqual([2, '']);
  expect(unknown.err).toContain('unknown lesson "two-rewards"; known: one-reward, tool-dies, pay-each-turn');
  writeFileSync(join(folder, 'one-reward/en/peer.md'), '## Before\n\nA.\n');
  expect((await lessons('one-reward')).err).toContain('one-reward/peer.md: the section "After" is missing or empty');
});
