import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { csvCell } from '../../../../src/cli/grade/gradeText.ts';
import { curvesOf, digestOf } from '../../../../src/lessons/results/digest.ts';
import { writeResultFile } from '../../../../src/lessons/results/resultFile.ts';
import { readRecording } from '../../../../src/storage/recordingFile.ts';
import { root } from '../../../files.ts';
import { attempt, courseFixture, EXERCISE } from '../../lessons/results/resultFixture.ts';
import { turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-grade-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** What the page keeps where it played the recording of the first lesson. */
function played(change: (curve: (number | null)[]) => void = () => {}) {
  const [{ configuration, metrics }] = readRecording(
    gunzipSync(readFileSync(join(root, 'public/recordings/grpo-or.recording'))).toString(),
  );
  const curves = curvesOf(metrics, ['answer'], 40);
  change(curves.answer as (number | null)[]);
  const run = { name: 'end', configuration, steps: 40, device: 'any', curves, digest: digestOf(curves) };
  const lessons = [
    { lesson: 'one-reward', attempts: [attempt({ source: 'recorded', runs: [run], exercises: [EXERCISE] })] },
  ];
  return writeResultFile(courseFixture({ name: '=Ada,"1"', lessons, assessment: {} }));
}

describe('turnwise grade', () => {
  const ada = file('ada.json', played());

  test('checks a file question by question, and needs no device for recordings', async () => {
    const { code, out, err } = await turnwise(['grade', ada]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/ada\.json: =Ada,"1"\nlesson .*\none-reward +1 +run end, seed 1 +(\w{16}) +\1 +same\n/);
    expect(out).toMatch(/\none-reward +1 +prediction of answer +1\.00 at the end +1\.00 came +told +0\.\d\d apart/);
    expect(out).toMatch(/\none-reward +1 +Advantage of try 1, turn 1 +1,5 +1\.50 +right +2 tries\n/);
    expect(out).toMatch(/\none-reward +1 +Advantage of try 2, turn 1 +0\.4 +-0\.50 +wrong +first try\n/);
  });

  test('names what cannot be read, and grades the others', async () => {
    const cut = file('cut.json', played().slice(0, 300));
    const { code, out, err } = await turnwise(['grade', cut, join(folder, 'none.json'), ada, '--csv']);
    expect(code).toBe(1);
    expect(err).toMatch(/cut\.json: it is not JSON, or it was cut off\n.*none\.json: it cannot be read \(no such file/);
    const rows = out.trimEnd().split('\n');
    expect(rows[0]).toBe('file,name,lesson,attempt,question,answer,expected,verdict,note');
    expect(rows.map((row) => /,(unreadable|same|told|right|wrong)(,|$)/.exec(row)?.[1])).toEqual([
      ...[undefined, 'unreadable', 'unreadable'],
      ...['same', 'told', 'right', 'wrong'],
    ]);
    expect(rows[3]).toContain(`,"'=Ada,""1""",one-reward,1,"run end, seed 1",`);
  });

  test('does nothing where no file can be read', async () => {
    const { code, out, err } = await turnwise(['grade', join(folder, 'none.json'), folder, '--csv']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/none\.json: it cannot be read \(no such file.*\n.*turnwise-grade-\w+: it cannot be read/);
  });

  test('finds a curve that is not that of the recording, although the file agrees with itself', async () => {
    const better = file(
      'better.json',
      played((curve) => curve.splice(5, 1, 1)),
    );
    const { code, out } = await turnwise(['grade', better]);
    expect(code).toBe(1);
    expect(out).toMatch(/ differs +answer at update 5 is 1, and 0\.\d+ on the recording; 0\.0\d\d apart on average\n/);
  });

  test('trains nothing where nothing is to be trained, and says so', async () => {
    const trained = file('trained.json', writeResultFile(courseFixture()));
    const { code, out } = await turnwise(['grade', trained, '--untrained']);
    // Its run has four updates, which is not the lesson's.
    expect(code).toBe(1);
    expect(out).toContain('4 updates, the lesson has 40\n');
  });

  test('wants files', async () => {
    const { code, err } = await turnwise('grade');
    expect([code, err]).toEqual([2, expect.stringContaining('FILE is missing')]);
  });
});

test.each([
  ['=1+1', "'=1+1"],
  ['@sum', "'@sum"],
  ['-0,5', '"-0,5"'],
  ['-0.5', '-0.5'],
  ['-a', "'-a"],
  ['a "b", c', '"a ""b"", c"'],
])('a cell for spreadsheets: %s is %s', (text, cell) => expect(csvCell(text)).toBe(cell));
