import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { type Group, trajectories } from '../../../../src/rollouts/forest.ts';
import { readGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { turnwise } from '../cliTerminal.ts';

const FIXTURES = join(root, 'test/fixtures/import/swe-agent');
const folder = mkdtempSync(join(tmpdir(), 'turnwise-trajectories-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function imported(...operands: readonly string[]) {
  const { code, out, err } = await turnwise(['import', ...operands]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { groups: readGroups(out), err };
}

/** Returns the number of turns of each rollout, with the outcome, solution and truncation of its last turn. */
const endsOf = (group: Group) =>
  trajectories(group).map((path) => {
    const { outcome, solved, truncated } = group.turns[path[path.length - 1]];
    return { turns: path.length, outcome, solved, truncated };
  });

describe('trajectories of SWE-agent', () => {
  test('trajectories of several SWE-agent runs are grouped by instance, with the evaluation of each run', async () => {
    const { groups, err } = await imported(join(FIXTURES, 'run-1'), join(FIXTURES, 'run-2'));
    expect(groups.map(({ id }) => id)).toEqual(['sum-1']);
    expect(endsOf(groups[0])).toEqual([
      { turns: 3, outcome: 1, solved: true, truncated: undefined },
      { turns: 2, outcome: 0, solved: false, truncated: true },
    ]);
    expect(groups[0].prompt).toMatchObject([{ role: 'system' }, { role: 'user', content: 'Fix the sum.' }]);
    expect(groups[0].turns[1]).toMatchObject({
      ...{ text: 'I edit the sum.', state: 'ls', action: 'edit sum.py', calls: ['edit sum.py'] },
      observation: [{ role: 'tool', content: 'edited' }],
    });
    expect(err).toContain('2 rows read; 1 group, 2 rollouts and 5 turns made');
    expect(err).not.toContain('query');
  });

  test('trajectories of a retry loop are separate rollouts with the scores of the reviewer', async () => {
    const { groups, err } = await imported(join(FIXTURES, 'retries'));
    expect(endsOf(groups[0]).map(({ turns, outcome }) => [turns, outcome])).toEqual([
      [3, 0.25],
      [2, 0.75],
    ]);
    expect(err).toContain('steps whose query repeats the messages before it, left out: 5');
  });

  test('only the submitted attempt of a retry loop has the evaluation', async () => {
    cpSync(join(FIXTURES, 'retries'), folder, { recursive: true });
    writeFileSync(join(folder, 'results.json'), '{"resolved": []}');
    const { groups } = await imported(folder);
    expect(endsOf(groups[0]).map(({ outcome, solved }) => [outcome, solved])).toEqual([
      [0.25, undefined],
      [0, false],
    ]);
    rmSync(join(folder, 'results.json'));
  });

  test('a single trajectory is read, plain or gzip-compressed', async () => {
    const file = join(FIXTURES, 'retries/sum-2.traj');
    const packed = join(folder, 'sum-2.traj.gz');
    writeFileSync(packed, gzipSync(readFileSync(file)));
    const [plain, unpacked] = [await imported(file), await imported(packed)];
    expect(unpacked.groups.map(({ id, turns }) => [id, turns.length])).toEqual(
      plain.groups.map(({ id, turns }) => [id, turns.length]),
    );
    expect(plain.groups[0].id).toBe('sum-2');
  });

  test('a trajectory without an evaluation has no reward', async () => {
    const file = join(folder, 'lone.traj');
    writeFileSync(file, readFileSync(join(FIXTURES, 'run-1/sum-1/sum-1.traj')));
    const { code, err } = await turnwise(['import', file]);
    expect(code).toBe(2);
    expect(err).toContain('1 rollout without a reward: kept apart');
  });

  test.each([
    ['{"trajectory": [', 'not JSON'],
    ['[]', 'not an object'],
    ['{"trajectory": [3], "info": {}}', 'column "trajectory[0]": 3 is not an object'],
    ['{"trajectory": [{"action": "ls"}], "info": {}}', '"response": missing'],
  ])('an invalid trajectory is reported with its file: %s', async (text, message) => {
    const file = join(folder, 'wrong.traj');
    writeFileSync(file, text);
    const { code, err } = await turnwise(['import', '--from', 'swe-agent', file]);
    expect(code).toBe(2);
    expect(err).toMatch(/^turnwise: \S*wrong\.traj/);
    expect(err).toContain(message);
  });
});
