import { afterAll, describe, expect, test } from 'vitest';
import { createNodeSource } from '../src/host/node.ts';
import { Sandbox } from '../src/sandbox.ts';
import type { Expected, Status, Value } from '../src/types.ts';

const sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
afterAll(() => sandbox.close());

/** The byte order mark, and the mark in the opposite byte order. */
const [MARK, SWAPPED] = ['\ufeff', '\ufffe'];
const SAME = 'def f(x): return x';

async function judge(program: string, args: readonly Value[], expected: Expected) {
  const [result] = await sandbox.run([{ program, entry: 'f', tests: [{ args, expected }] }]);
  const [{ status, actual, error, output }] = result.tests;
  return { status, actual, error, output };
}
const statuses = (cases: readonly (readonly [string, Value, Expected])[]): Promise<Status[]> =>
  Promise.all(cases.map(async ([program, arg, expected]) => (await judge(program, [arg], expected)).status));

describe('the sandbox treats a byte order mark as a normal character', () => {
  const TEXTS = [
    ...[MARK, SWAPPED].flatMap((mark) => [mark, mark + mark, `${mark}nine`, `ni${mark}ne`, `nine${mark}`, `${mark}é`]),
    ...[`${MARK}𝒳`, `${MARK}${SWAPPED}`, `${SWAPPED}${MARK}`, `${MARK}\0`, `${MARK}${'x'.repeat(5000)}`],
  ];

  test('a byte order mark in arguments and results is unchanged', async () => {
    expect(await statuses(TEXTS.map((text) => [SAME, text, text]))).toEqual(TEXTS.map(() => 'passed'));
  });

  test('a byte order mark is one character inside the program', async () => {
    const program = 'def f(x): return [len(x), [ord(c) for c in x[:9]]]';
    for (const text of TEXTS) {
      const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
      expect((await judge(program, [text], [points.length, points.slice(0, 9)])).status).toBe('passed');
    }
  });

  test('strings with and without a byte order mark are unequal', async () => {
    const cases: [string, Value, Expected][] = [
      ['def f(x): return "\\ufeff" + x', 'nine', 'nine'],
      [`def f(x): return "${MARK}" + x`, 'nine', 'nine'],
      ['def f(x): return x[1:]', `${MARK}nine`, `${MARK}nine`],
      [SAME, 'nine', `${MARK}nine`],
      [SAME, `${MARK}nine`, 'nine'],
      [SAME, `${MARK}nine`, `${SWAPPED}nine`],
      [SAME, MARK, ''],
      ['def f(x): return [x == "nine", x == "\\ufeffnine"]', `${MARK}nine`, [true, false]],
    ];
    expect(await statuses(cases)).toEqual(cases.map(() => 'failed'));
    expect(await statuses([['def f(x): return x == "\\ufeffnine" != "nine"', `${MARK}nine`, true]])).toEqual([
      'passed',
    ]);
  });

  test('keys of a dict with and without a byte order mark are different keys', async () => {
    const dict = (...keys: string[]) => ({ dict: keys.map((key, i): [string, number] => [key, i]) });
    const both = dict('a', `${MARK}a`, `${SWAPPED}a`);
    expect(
      await statuses([
        [SAME, both, both],
        ['def f(x): return [len(x), x["a"], x["\\ufeffa"], x["\\ufffea"]]', both, [3, 0, 1, 2]],
        ['def f(x): return {k[1:]: v for k, v in x.items()}', dict(`${MARK}a`, `${MARK}b`), dict('a', 'b')],
      ]),
    ).toEqual(['passed', 'passed', 'passed']);
    expect(
      await statuses([
        [SAME, dict(`${MARK}a`), dict('a')],
        [SAME, dict('a'), dict(`${MARK}a`)],
        [SAME, both, dict('a', `${MARK}a`)],
        [SAME, both, { dict: [['a', 0], [`${MARK}a`, 2], [`${SWAPPED}a`, 1]] }],
      ]),
    ).toEqual(['failed', 'failed', 'failed', 'failed']); // biome-ignore format: pairs
  });

  test('strings with and without a byte order mark are two members of a set', async () => {
    const both = { set: ['a', `${MARK}a`, { tuple: [MARK, 1] }] };
    expect(
      await statuses([
        [SAME, both, both],
        ['def f(x): return [len(x), "a" in x, "\\ufeffa" in x, ("\\ufeff", 1) in x, ("", 1) in x]', both, [3, true, true, true, false]],
        ['def f(x): return {s.lstrip("\\ufeff") for s in x}', { set: ['a', `${MARK}a`] }, { set: ['a'] }],
      ]),
    ).toEqual(['passed', 'passed', 'passed']);
    expect(
      await statuses([
        [SAME, both, { set: ['a', `${MARK}a`, { tuple: ['', 1] }] }],
        [SAME, { set: [`${MARK}a`] }, { set: ['a'] }],
        ['def f(x): return {"a", "\\ufeffa"}', 1, { set: ['a'] }],
      ]),
    ).toEqual(['failed', 'failed', 'failed']);
  }); // biome-ignore format: a case a line

  test('a byte order mark in printed text and in exceptions is unchanged', async () => {
    const printed = await judge('def f(x):\n  print(x, end="")\n  raise ValueError(x)', [`${MARK}nine`], 1);
    expect(printed).toMatchObject({ output: `${MARK}nine`, error: { type: 'ValueError', message: `${MARK}nine` } });
    const name = await judge('def f(x): return type("\\ufeffA", (), {})()', [1], 1);
    expect(name.status).toBe('failed');
    expect((await judge('def f(x): return {}[x]', [`${MARK}k`], 1)).error?.message).toBe("'\\ufeffk'");
  });

  test('a byte order mark in source is a syntax error outside strings', async () => {
    expect((await judge(`${MARK}${SAME}`, [1], 1)).error).toMatchObject({ type: 'SyntaxError', line: 1 });
    expect((await judge(`def f(x): return ${MARK}x`, [1], 1)).error).toMatchObject({ type: 'SyntaxError', line: 1 });
    expect((await judge(`def f(x): return "${MARK}".encode().hex()`, [1], 'efbbbf')).status).toBe('passed');
  });

  test('codecs add and remove a byte order mark as in their documentation', async () => {
    const program = `def f(x):
      return [x.encode("utf-16")[:2].hex(), x.encode("utf-8-sig").hex(), x.encode("utf-8").decode("utf-8-sig"), b"\\xff\\xfea\\0".decode("utf-16"), b"\\xfe\\xff\\0a".decode("utf-16")]`;
    expect((await judge(program, [`${MARK}a`], ['fffe', 'efbbbfefbbbf61', 'a', 'a', 'a'])).status).toBe('passed');
  });
});
