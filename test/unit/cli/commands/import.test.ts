import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { expectRejected, turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-import-test-'));
const out = join(folder, 'out.jsonl');
const FIXTURES = join(root, 'test/fixtures/import');
const verl = join(FIXTURES, 'verl/10.jsonl');
const tempFolder = join(folder, 'spools');
mkdirSync(tempFolder);
for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, tempFolder);

beforeEach(() => rmSync(out, { force: true }));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Writes a file with these lines into the folder of this test and returns its path. */
function file(name: string, ...lines: string[]): string {
  writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(''));
  return join(folder, name);
}

describe('import', () => {
  test('import writes groups to a file and reports them', async () => {
    const { code, out: written, err } = await turnwise(['import', '--from', 'verl', '--out', out, verl]);
    expect([code, written]).toEqual([0, '']);
    expect(readGroups(readFileSync(out, 'utf8')).map(({ id }) => id)).toEqual(['step-10/prompt-0', 'step-10/prompt-1']);
    expect(err).toContain('4 rows read; 2 groups, 4 rollouts and 7 turns made\n');
    expect(err).toContain(`written: ${out}\n`);
    expect(readdirSync(folder)).toEqual(['out.jsonl', 'spools']);
  });

  test('import writes the same text to standard output as to a file', async () => {
    await turnwise(['import', '--from', 'verl', '--out', out, verl]);
    const { code, out: written, err } = await turnwise(['import', verl, '--from', 'verl']);
    expect([code, written]).toEqual([0, readFileSync(out, 'utf8')]);
    expect(err).toContain('4 rows read');
    expect(readdirSync(tempFolder)).toEqual([]);
  });

  test.each([
    ['trl', 'trl/completions_00010.zstd.parquet', 2],
    ['verl', 'verl/v1-12.jsonl', 2],
    ['verifiers', 'verifiers/results.jsonl', 2],
    ['verifiers', 'verifiers/traces.jsonl', 1],
  ])('import reads %s: %s', async (from, path, groups) => {
    const { code, out: written } = await turnwise(['import', '--from', from, join(FIXTURES, path)]);
    expect(code).toBe(0);
    expect(readGroups(written)).toHaveLength(groups);
  });

  test('import does not merge groups of several files', async () => {
    const { code, out: written } = await turnwise(['import', '--from', 'verl', verl, verl]);
    expect(code).toBe(0);
    expect(readGroups(written).map(({ id }) => id)).toEqual([
      ...['step-10/prompt-0', 'step-10/prompt-1', 'step-10/prompt-0-2', 'step-10/prompt-1-2'],
    ]);
  });

  test('import reads the weights of TRL reward columns from --reward', async () => {
    const table = join(FIXTURES, 'trl/completions_00010.jsonl');
    await expectRejected(
      ['import', '--from', 'trl', table],
      'Name each reward column with --reward NAME or --reward NAME=WEIGHT',
    );
    const line = ['import', '--from', 'trl', '--reward', 'accuracy_reward', '--reward', 'format_reward=1.0', table];
    const result = await turnwise(line);
    expect(result.code).toBe(0);
    expect(readGroups(result.out)[0].turns[1].outcome).toBe(1.5);
  });

  test('import replaces an older file only on success', async () => {
    writeFileSync(out, 'older');
    const rows = readFileSync(verl, 'utf8').trim().split('\n');
    const broken = file('broken.jsonl', ...rows, '{"input": "q", "output": "a", "score": 1, "step": 10');
    await expectRejected(['import', '--from', 'verl', '--out', out, verl, broken], /broken\.jsonl, line 5: not JSON/);
    expect(readFileSync(out, 'utf8')).toBe('older');
    expect(existsSync(`${out}.part`)).toBe(false);
    rmSync(broken);
  });

  test('import writes no text to standard output if a later row is wrong', async () => {
    const rows = ['_0_0', '_0_0'].map((uid) =>
      JSON.stringify({ input: 'q', output: 'a', score: 1, step: 1, uid: `u${uid}` }),
    );
    const twice = file('twice.jsonl', readFileSync(verl, 'utf8').trim(), ...rows);
    await expectRejected(
      ['import', '--from', 'verl', twice],
      'twice.jsonl, line 5: part 0 of session 0 is there twice',
    );
    expect(readdirSync(tempFolder)).toEqual([]);
    rmSync(twice);
  });

  test('import stops on request and leaves no file', async () => {
    const stop = new AbortController();
    stop.abort();
    const { code } = await turnwise(['import', '--from', 'verl', '--out', out, verl], { signal: stop.signal });
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual(['spools']);
  });

  test('import reports omitted groups if no group remains', async () => {
    const unscored = file('unscored.jsonl', '{"input": "q", "output": "a", "score": null, "step": 1}');
    const { code, err } = await turnwise(['import', '--from', 'verl', '--out', out, unscored]);
    expect([code, existsSync(out)]).toEqual([2, false]);
    expect(err).toContain('1 group without a scored rollout, not written: step-1/prompt-0\n');
    expect(err).toContain('unscored.jsonl: no group could be made');
    rmSync(unscored);
  });

  test.each([
    [['--from', 'verl'], 'FILE is missing'],
    [['--from', 'rllm', verl], '--from: "rllm" is not one of trl, verl, verifiers'],
    [['--from', 'verl', '--reward', 'x', verl], '--reward: only for logs of TRL, and --from is verl'],
    [['--reward', 'x', verl], '10.jsonl: --reward: only logs of trl need it; this is a log of verl'],
    [['--from', 'trl', '--reward', 'x=much', verl], 'the weight "much" is not a number'],
    [['--from', 'trl', '--reward', 'x=', verl], 'the weight "" is not a number'],
    [['--from', 'verl', 'nowhere.jsonl'], 'there is no file nowhere.jsonl'],
    [['--from', 'verl', FIXTURES], 'traces/stream: a log of verifiers, not of verl: --from verifiers reads it'],
    [[join(root, 'test/fixtures/field/13-paid-by-the-turn')], 'a file of groups already'],
    [[join(root, 'test/unit')], 'has no .jsonl, .json, .parquet or .traj file'],
    [[join(root, 'package.json')], 'of no known format: the first row has name, version'],
    [['--from', 'verl', '--out', join(folder, 'nowhere', 'a'), verl], '--out: there is no folder'],
    [['--from', 'trl', verl], '10.jsonl: a log of verl, not of trl: --from verl reads it'],
    [['--from', 'verl', join(FIXTURES, 'verifiers/results.jsonl')], 'a log of verifiers, not of verl'],
    [['--from', 'verifiers', verl], 'a log of verl, not of verifiers'],
    [['--from', 'verl', '/dev/null'], 'is not a regular file'],
  ])('import rejects %j', async (args, message) => {
    await expectRejected(['import', ...args], message);
  });

  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const row = (parts: string) => `{"input": "q", "output": "a", "score": 1, "step": 1, ${parts}}`;
  test.each([
    ['a row', '['.repeat(200_000) + ']'.repeat(200_000), 'line 2: [[['],
    ['a known column', row(`"uid": ${nested(100_000)}`), 'line 2, column "uid": '],
    ['an unknown column', row(`"note": ${nested(100_000)}`), 'line 2, column "note": nested deeper than 500 levels'],
    ['a column of the prompt', row(`"gts": ${nested(501)}`), 'line 2, column "gts": nested deeper than 500 levels'],
  ])('import rejects excessive nesting in %s', async (_, line, message) => {
    const deep = file('deep.jsonl', row('"note": 1'), line);
    const { code, out: written, err } = await turnwise(['import', '--from', 'verl', '--out', out, deep]);
    expect([code, written, existsSync(out)]).toEqual([2, '', false]);
    expect(err).toContain(`deep.jsonl, ${message}`);
    expect(err.length).toBeLessThan(300);
    rmSync(deep);
  });

  test('import retains nesting up to the limit, and escapes control characters of names in its report', async () => {
    const odd = file('odd.jsonl', row(`"note": ${nested(500)}, "\\u001b[2J${'n'.repeat(100)}": 1`));
    const { code, out: written, err } = await turnwise(['import', '--from', 'verl', odd]);
    expect(code).toBe(0);
    expect(JSON.stringify(readGroups(written)[0].turns[0].note)).toBe(nested(500));
    expect(err).toContain(`kept in turns: note (1), \\u001b[2J${'n'.repeat(76)} (1)\n`);
    rmSync(odd);
  });

  test('import rejects a damaged Parquet file with its name', async () => {
    const damaged = join(FIXTURES, 'trl/damaged.snappy.parquet');
    const { code, err } = await turnwise(['import', '--from', 'trl', '--out', out, damaged]);
    expect([code, readdirSync(folder)]).toEqual([2, ['spools']]);
    expect(err).toMatch(/^turnwise: .*damaged\.snappy\.parquet: not a Parquet file that can be read: its footer/);
  });

  test('import reads gzip-compressed logs and leaves no temporary file', async () => {
    const plain = (await turnwise(['import', verl])).out;
    const packed = join(folder, '10.jsonl.gz');
    writeFileSync(packed, gzipSync(readFileSync(verl)));
    expect(await turnwise(['import', packed])).toMatchObject({ code: 0, out: plain });
    writeFileSync(packed, gzipSync(readFileSync(verl)).subarray(0, 200));
    await expectRejected(['import', packed], `${packed}: damaged gzip data`);
    rmSync(packed);
    expect(readdirSync(tempFolder)).toEqual([]);
  });

  describe("prime-rl's stream of chunks", () => {
    const run = join(FIXTURES, 'prime-rl');
    const stream = join(run, 'monitors/file/traces/stream');
    const chunks = ['00000.jsonl.zst', '00001.jsonl'].map((name) => join(stream, name));

    test.each([
      ['the folder of its run', [run]],
      ['its folder', [stream]],
      ['its files', chunks],
    ])('a stream of chunks is imported from %s as one log, and a group can span chunks', async (_, operands) => {
      const expected = await turnwise(['import', join(FIXTURES, 'verifiers/traces.jsonl')]);
      const { code, out: written, err } = await turnwise(['import', ...operands]);
      expect([code, written]).toEqual([0, expected.out]);
      expect(err).toContain('4 rows read; 1 group,');
      expect(err).not.toContain('is the number in the path');
      expect(readdirSync(tempFolder)).toEqual([]);
    });

    test('a stream of chunks can end in an incomplete line', async () => {
      const copy = join(folder, 'torn', 'stream');
      mkdirSync(copy, { recursive: true });
      for (const chunk of chunks) copyFileSync(chunk, join(copy, basename(chunk)));
      // prime-rl deletes a plain chunk after the compressed one is complete.
      writeFileSync(join(copy, '00000.jsonl'), readFileSync(join(FIXTURES, 'verifiers/traces.jsonl')));
      writeFileSync(join(copy, '00001.jsonl'), '{"id": "e9", "tra');
      const expected = await turnwise(['import', join(FIXTURES, 'verifiers/traces.jsonl')]);
      const { code, out: written, err } = await turnwise(['import', copy]);
      expect([code, written]).toEqual([0, expected.out]);
      expect(err).toContain('the last line is not complete: left out');
      rmSync(join(folder, 'torn'), { recursive: true });
    });

    test('a chunk of the imported stream is rejected as an output file', async () => {
      await expectRejected(['import', '--out', chunks[1], stream], '--out');
      expect(readFileSync(chunks[1]).length).toBeGreaterThan(0);
    });
  });

  test('import rejects an empty file', async () => {
    const empty = file('empty.jsonl');
    expect((await turnwise(['import', '--from', 'verl', empty])).err).toContain('empty.jsonl: has no rows');
    rmSync(empty);
  });
});
