import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { foldUpdate } from '../../../../src/rollouts/import/traces.ts';
import { readGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-annotations-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
