import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packingOf, unpacked } from '../../../../src/rollouts/import/openLog.ts';
import { fixture } from './importLogs.ts';

const SEALED = fixture('prime-rl/monitors/file/traces/stream/00000.jsonl.zst');
const LINES = Buffer.from(fixture('verifiers/traces.jsonl')).toString().split('\n');
const TEXT = LINES.slice(0, 2)
  .map((line) => `${line}\n`)
  .join('');

/** Unpacks bytes from a stream of pieces of the given length [bytes]. */
async function textOf(bytes: Uint8Array, length = bytes.length): Promise<string> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  }
  const parts: Uint8Array[] = [];
  for await (const part of unpacked('log', pieces())) parts.push(part.slice());
  return Buffer.concat(parts).toString();
}

test('packingOf recognizes gzip and Zstandard by the first bytes', () => {
  expect([gzipSync('a'), SEALED, Buffer.from('{"a"'), Buffer.from([])].map((bytes) => packingOf(bytes))).toEqual([
    'gzip',
    'Zstandard',
    undefined,
    undefined,
  ]);
});

describe('unpacked', () => {
  test.each([1, 7, 1000, 100_000])(
    'unpacked decompresses Zstandard frames followed by a seek table, in pieces of %i bytes',
    async (length) => {
      expect((await textOf(SEALED, length)) === TEXT).toBe(true);
    },
  );

  test.each([1, 100_000])('unpacked decompresses several gzip members, in pieces of %i bytes', async (length) => {
    const members = Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]);
    expect(await textOf(members, length)).toBe('one\ntwo\n');
  });

  test.each(['', '{', '{"a": 1}\n'])('unpacked returns plain text unchanged: %j', async (text) => {
    expect(await textOf(Buffer.from(text), 1)).toBe(text);
  });

  test.each([
    ['gzip', gzipSync('a line of text\n')],
    ['Zstandard', SEALED.slice(0, 900)],
  ])('unpacked throws an error for truncated data: %s', async (packing, bytes) => {
    await expect(textOf(bytes.slice(0, bytes.length - 10))).rejects.toThrow(`log: damaged ${packing} data`);
  });

  test('unpacked throws an error for gzip data with a changed byte', async () => {
    const bytes = gzipSync('a line of text\n');
    bytes[bytes.length - 6] ^= 1;
    await expect(textOf(bytes)).rejects.toThrow('log: damaged gzip data');
  });

  test('unpacked throws an error for a Zstandard window of 1 GB', async () => {
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 20 << 3, 0, 0, 0, 0]);
    await expect(textOf(header)).rejects.toThrow('log: its Zstandard window of 1024 MB exceeds 128 MB');
  });

  test('unpacked closes its source if only a part is read', async () => {
    let ended = false;
    async function* source() {
      try {
        for (;;) yield gzipSync('text');
      } finally {
        ended = true;
      }
    }
    for await (const _ of unpacked('log', source())) break;
    expect(ended).toBe(true);
  });
});
