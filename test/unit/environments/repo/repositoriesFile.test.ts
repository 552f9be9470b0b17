import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepoEnvironment } from '../../../../src/environments/repo/open.ts';
import {
  readRepositories,
  splitProblems,
  verifyRepositories,
} from '../../../../src/environments/repo/repositoriesFile.ts';
import { loadProblems } from '../../../../src/environments/repo/repoTasks.ts';
import { spell } from '../../../../src/environments/repo/vocabulary.ts';
import type { Execute } from '../../../../src/environments/shared/execution.ts';
import { root } from '../../../files.ts';
import { LINE, noPython } from './repoWorld.ts';

const text = (...lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).join('\n');
const [app, clip, top] = LINE.files;
const files = (...list: readonly unknown[]) => ({ ...LINE, files: list });

describe('a file of repositories', () => {
  it('a file of repositories may have empty lines, CRLF line ends and a byte order mark', () => {
    const given = readRepositories(
      `\uFEFF\n${text(LINE)}\r\n\r\n${text({ ...LINE, split: 'held-out' })}\r\n`,
      'mine.jsonl',
    );
    expect(given.map(({ line, heldOut }) => [line, heldOut])).toEqual([
      [2, false],
      [4, true],
    ]);
    const [{ problem }] = given;
    expect(problem.id).toBe('line 2');
    expect(spell(problem.prompt)).toBe('<issue> top low <repo> app.py base.py core.py lib.py <a>');
    expect(problem.bugs).toEqual([
      { at: 2, statement: 0, token: 1, right: 'max', wrong: 'min' },
      { at: 3, statement: 1, token: 1, right: '1', wrong: '2' },
    ]);
    expect(problem.broken[1]).toEqual({
      file: 'base.py',
      name: 'clip',
      statements: [
        ['y=[', 'min', '(v,k)_for_v_in_x]'],
        ['return', 'sum', '(y)'],
      ],
    });
    expect(problem.visible[3]).toEqual({ name: 'app', x: [1, 5], k: 3, expected: 12 });
    expect(problem.hidden).toHaveLength(2);
  });

  it('the example of the documentation is a valid file of repositories', () => {
    const blocks = readFileSync(join(root, 'docs/reference/repo.md'), 'utf8').match(/(?:^ {4}.*\n)+/gm) ?? [];
    const example = blocks.find((block) => block.includes('"files"')) ?? '';
    const [{ problem, heldOut }] = readRepositories(example.replaceAll('\n', ' '), 'docs/reference/repo.md');
    expect(problem.bugs).toEqual([{ at: 2, statement: 0, token: 1, right: 'max', wrong: 'min' }]);
    expect([problem.visible.length, problem.hidden.length, heldOut]).toEqual([2, 1, false]);
  });

  it('problems follow their split, and a missing split contains the problems of the other split', () => {
    const given = readRepositories(text(LINE, { ...LINE, split: 'held-out' }), 'mine.jsonl');
    const sizes = ({ training, heldOut }: ReturnType<typeof splitProblems>) => [training.length, heldOut.length];
    expect(sizes(splitProblems(given))).toEqual([1, 1]);
    const { training, heldOut } = splitProblems(given.slice(0, 1));
    expect(heldOut).toEqual(training);
    expect(sizes(splitProblems(given.slice(1)))).toEqual([1, 1]);
  });

  it('repositories of a file replace the problems of the environment', async () => {
    const repositories = splitProblems(
      readRepositories(
        text({
          ...files(app, clip, top),
          hidden: [],
          visible: LINE.visible.filter((test) => test.function !== 'span'),
        }),
        'mine.jsonl',
      ),
    );
    const problems = await loadProblems('two');
    const environment = createRepoEnvironment({}, { execute: noPython, problems, repositories });
    expect(environment.problems).toBe(repositories);
    expect(environment.context).toBe(184);
  });

  it.each([
    ['{"files": ', 'line 1: no JSON: '],
    ['[1]', 'line 1: [1] is not an object'],
    ['', 'line 1: there are no problems'],
  ])('a file of repositories with the content "%s" throws an error', (content, message) => {
    expect(() => readRepositories(content, 'mine.jsonl')).toThrow(`mine.jsonl, ${message}`);
  });

  it.each([
    [{ ...LINE, file: 1 }, 'file: there is no such field; known: files, issue, visible, hidden, split'],
    [{ ...LINE, files: undefined }, 'files: missing; it is not a list'],
    [files(app), 'files: 1 files; app.py and 1 to 7 others are possible'],
    [files(clip, top), 'files[0].file: the first file is app.py, not base.py'],
    [files(app, 1), 'files[1]: 1 is not an object'],
    [files(app, { ...clip, file: 'main.py' }), 'files[1].file: "main.py" is not one of app.py, core.py, '],
    [files(app, clip, { ...top, file: 'base.py' }), 'files[2].file: base.py is listed twice'],
    [files(app, clip, { ...top, function: 'clip' }), 'files[2].function: clip is listed twice'],
    [files(app, { ...clip, function: 'app' }), 'files[1].function: "app" is not one of count, total, '],
    [files({ ...app, function: 'top' }, clip), 'files[0].function: "top" is not one of app'],
    [files(app, { ...clip, right: ['a='] }), 'files[1].right: 1 statements; a function has two'],
    [files(app, { ...clip, right: ['a=', 7] }), 'files[1].right[1]: 7 is not a text'],
    [files(app, { ...clip, right: ['a=', ' '] }), 'files[1].right[1]: it is empty'],
    [files(app, { ...clip, right: ['y = 1', 'return sum (y)'] }), 'files[1].right[0]: "y" is no token of code'],
    [
      files(app, { ...clip, broken: ['a= min', 'return sum (y)'] }),
      'files[1].broken[0]: it has 2 tokens, the right one 3',
    ],
    [files(app, clip), 'files: the broken files are the right ones'],
    [
      files(app, { ...top, broken: ['m= k (x)', 'return_m + k'] }),
      'files[1].broken: "k" occurs 2 times, so that no edit can replace the wrong one alone',
    ],
    [{ ...LINE, issue: 'mean low' }, 'issue: "mean low" is not one of app, clip, top, span, then high, low or crash'],
    [{ ...LINE, issue: 'top' }, 'issue: "top" is not one of '],
    [{ ...LINE, issue: undefined }, 'issue: missing; it is not one of '],
    [{ ...LINE, visible: LINE.visible.slice(0, 3) }, 'visible: no test calls app, which `execute` needs'],
    [{ ...LINE, hidden: [{ function: 'mean' }] }, 'hidden[0].function: "mean" is not one of app, clip, top, span'],
    [{ ...LINE, hidden: [{ function: 'top', x: 3 }] }, 'hidden[0].x: 3 is not a list'],
    [{ ...LINE, hidden: [{ function: 'top', x: [1, 2.5] }] }, 'hidden[0].x[1]: 2.5 is not a whole number'],
    [{ ...LINE, hidden: [{ function: 'top', x: [], k: '1' }] }, 'hidden[0].k: "1" is not a whole number'],
    [{ ...LINE, hidden: [{ function: 'top', x: [], k: 1 }] }, 'hidden[0].expected: missing; it is not a whole number'],
    [{ ...LINE, split: 'test' }, 'split: "test" is not "training" or "held-out"'],
  ])('an invalid repository throws an error with line and field: $1', (line, message) => {
    expect(() => readRepositories(text(LINE, line), 'mine.jsonl')).toThrow(`mine.jsonl, line 2: ${message}`);
  });
});

describe('repositories that are run', () => {
  const given = readRepositories(text(LINE), 'mine.jsonl');
  const expected = [...LINE.visible, ...LINE.hidden].map(({ expected: value }) => value);
  /** Creates an executor that returns `right` for the right files and `broken` for the broken files. */
  const python = (right: readonly number[], broken: readonly number[]): Execute => {
    return async (executions) =>
      executions.map(({ program }) => [{ value: program.includes('return n- 1') ? [...right] : [...broken] }]);
  };
  const but = (index: number, value: number) => expected.with(index, value);

  it('repositories are accepted if right files pass all tests and broken files fail a visible test', async () => {
    await expect(verifyRepositories(given, python(expected, but(1, 3)), 'mine.jsonl')).resolves.toBeUndefined();
  });

  it.each([
    ['visible: the right files fail: top([1, 5], 2) gives 6, wanted 7', but(1, 6), but(1, 3)],
    ['hidden: the right files fail: span([1, 1], 0) gives 0, wanted 1', but(5, 0), but(1, 3)],
    ['visible: the broken files pass every visible test, so no visible test shows the bug', expected, but(4, 3)],
  ])('repositories are rejected with the message "%s"', async (message, right, broken) => {
    await expect(verifyRepositories(given, python(right, broken), 'mine.jsonl')).rejects.toThrow(
      `mine.jsonl, line 1: ${message}`,
    );
  });
});
