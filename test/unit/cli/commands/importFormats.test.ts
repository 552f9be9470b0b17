import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Group, trajectories } from '../../../../src/rollouts/forest.ts';
import { foldUpdate } from '../../../../src/rollouts/import/traces.ts';
import { readGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const FIXTURES = join(root, 'test/fixtures/import/swe-agent');
const { folder } = temporaryFolder();

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
    await expectRejected(['import', file], '1 rollout without a reward: kept apart');
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

const TRACES = join(root, 'test/fixtures/import/verifiers/traces.jsonl');

interface Node {
  token_ids: number[];
  mask: boolean[];
  advantages?: number[];
}

/** Writes a run of prime-rl with a stream and the updates of its traces. */
function run(name: string, episodes: readonly object[], updates: readonly object[]): string {
  const traces = join(folder, name, 'monitors/file/traces');
  for (const [path, rows] of [
    ['stream', episodes],
    ['annotations/trainer', updates],
  ] as const) {
    mkdirSync(join(traces, path), { recursive: true });
    writeFileSync(join(traces, path, '00000.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  return join(folder, name);
}

const episodesOf = () =>
  readFileSync(TRACES, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('annotations of prime-rl', () => {
  test('annotations of prime-rl assign advantages to the sampled tokens of nodes', async () => {
    const expected = await turnwise(['import', TRACES]);
    const episodes = episodesOf();
    const nodes: Node[] = episodes[0].traces[0].nodes;
    const advantages = nodes.flatMap(({ token_ids, mask, advantages: logged = [] }) => {
      const values = [...logged];
      return token_ids.map((_, at) => (mask[at] ? values.shift() : null));
    });
    for (const node of nodes) delete node.advantages;
    const update = { version: 1, trace_id: 't0', info: {}, branches: [{ index: 0, advantages }] };
    const older = { ...update, branches: [{ index: 0, advantages: advantages.map((value) => value && 9) }] };
    const { code, out } = await turnwise(['import', run('tokens', episodes, [older, update])]);
    expect(code).toBe(0);
    const [turn] = readGroups(out)[0].turns;
    expect(turn.advantages).toEqual(readGroups(expected.out)[0].turns[0].advantages);
    // The fields of a node have a different order.
    expect(readGroups(out)).toEqual(readGroups(expected.out));
  });

  test('annotations of prime-rl assign advantages to traces, which reconcile compares', async () => {
    const episodes = episodesOf();
    for (const { traces } of episodes) for (const { nodes } of traces) for (const node of nodes) delete node.advantages;
    // Rewards 1.1 and 0.2 have the mean 0.65.
    const updates = [
      { version: 1, trace_id: 't0', info: { advantage: 0.45 } },
      { version: 1, trace_id: 't1', info: { advantage: -0.45, shipped: { step: 7 } } },
    ];
    const path = run('traces', episodes, updates);
    const { out: groups } = await turnwise(['import', path]);
    expect(readGroups(groups)[0].turns.map(({ advantage }) => advantage)).toEqual([undefined, 0.45, undefined, -0.45]);
    const { code, out } = await turnwise(['reconcile', path]);
    expect([code, out]).toEqual([0, 'profile dr-grpo: 1 of 1 groups\n']);
  });

  test('annotations of prime-rl are inputs that an output cannot overwrite', async () => {
    const path = run('inputs', episodesOf(), [{ version: 1, trace_id: 't0', info: { advantage: 1 } }]);
    const annotations = join(path, 'monitors/file/traces/annotations/trainer/00000.jsonl');
    const { code } = await turnwise(['import', '--out', annotations, path]);
    expect([code, readFileSync(annotations, 'utf8')]).toEqual([2, expect.stringContaining('"trace_id":"t0"')]);
  });

  // A file in place of the folder, because the superuser can read every folder.
  test('a folder of annotations that cannot be read is an error with its name', async () => {
    const path = run('blocked', episodesOf(), []);
    const annotations = join(path, 'monitors/file/traces/annotations');
    rmSync(annotations, { recursive: true });
    writeFileSync(annotations, '');
    await expectRejected(`import ${path}`, 'traces/annotations cannot be read (not a directory)');
  });

  test('annotations of prime-rl can end in an incomplete line', async () => {
    cpSync(run('torn', episodesOf(), []), join(folder, 'copy'), { recursive: true });
    const annotations = join(folder, 'copy/monitors/file/traces/annotations/trainer/00000.jsonl');
    writeFileSync(annotations, '{"trace_id": "t0", "info": {"advantage": 3}}\n{"trace_id": "t1", "in');
    const { code } = await turnwise(['import', join(folder, 'copy')]);
    expect(code).toBe(0);
  });
});

test('an update merges info, and skips nodes without a value for each sampled token', () => {
  const node = (parent: number) => ({ parent, token_ids: [1, 2], mask: [false, true] });
  const trace = { info: { a: { b: 1, c: 2 } }, nodes: [{ ...node(0), parent: undefined }, node(0), node(0)] };
  const branches = [
    { index: 0, advantages: [null, null, null, 0.5], entropies: [0, 1, 0] },
    { index: 1, advantages: [null, 0.25, null, 0.75], is_masked: [null, null, null, true] },
    { index: 7, advantages: [1] },
  ];
  const folded = foldUpdate(trace, { info: { a: { b: 3 } }, branches });
  expect(folded.info).toEqual({ a: { b: 3, c: 2 } });
  const { nodes } = folded as { nodes: { advantages: unknown; entropies?: unknown; is_masked?: unknown }[] };
  expect(nodes.map(({ advantages, entropies, is_masked }) => [advantages, entropies, is_masked])).toEqual([
    [[0.25], [1], undefined],
    [[0.5], undefined, undefined],
    [[0.75], undefined, [true]],
  ]);
});
