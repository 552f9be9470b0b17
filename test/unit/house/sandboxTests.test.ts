import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const docs = (name: string) => readFileSync(new URL(`../../../docs/develop/${name}`, import.meta.url), 'utf8');

interface Row {
  readonly file: string;
  /** Numbers of tests: [passed, left out, failed]. */
  readonly counts: readonly number[];
  readonly reasons: string;
}

function rows(): Row[] {
  const lines = docs('sandbox-tests.md').split('\n');
  return lines.flatMap((line) => {
    const cells = /^\| (.*?) \| (\d+) \| (\d+) \| (\d+) \| (.*?) ?\|$/.exec(line);
    return cells ? [{ file: cells[1], counts: cells.slice(2, 5).map(Number), reasons: cells[5] }] : [];
  });
}

const files = () => rows().filter(({ file }) => file !== 'all');
const all = () => rows().find(({ file }) => file === 'all')?.counts;

test('the table of CPython tests has correct sums, and no test fails', () => {
  const sums = [0, 1, 2].map((i) => files().reduce((sum, { counts }) => sum + counts[i], 0));
  expect(files().length).toBeGreaterThan(60);
  expect(all()).toEqual(sums);
  expect(sums[2]).toBe(0);
});

test('the table of CPython tests has a reason for each omitted test of a file', () => {
  for (const { file, counts, reasons } of files()) {
    const reported = [...reasons.matchAll(/ \((\d+)\)(?:; |$)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(reported, file).toBe(counts[1]);
  }
});

test('docs/develop/sandbox.md has the totals of the table of CPython tests', () => {
  const match = /([\d,]+) pass here \(3\.14\.2\), ([\d,]+) are left out, and none fails/.exec(docs('sandbox.md'));
  expect(match?.slice(1).map((number) => Number(number.replaceAll(',', '')))).toEqual(all()?.slice(0, 2));
});
