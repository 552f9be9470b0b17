import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { csvCell } from '../../../../src/cli/commands/grade.ts';
import { lessonRun } from '../../../../src/lessons/lesson.ts';
import { digestOf } from '../../../../src/lessons/results/courseResult.ts';
import { writeResultFile } from '../../../../src/lessons/results/resultFile.ts';
import { attempt, courseFixture, EXERCISE } from '../../lessons/results/resultFixture.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder, file } = temporaryFolder();

/** Returns the result file of a user who completed the first lesson. */
function readersFile() {
  const curves = { answer: Array.from({ length: 40 }, (_, step) => (step + 1) / 40) };
  const configuration = lessonRun({ preset: 'grpo-or', controls: {}, schedule: [] });
  const run = { name: 'end', configuration, steps: 40, device: 'any', curves, digest: digestOf(curves) };
  const lessons = [{ lesson: 'one-reward', attempts: [attempt({ runs: [run], exercises: [EXERCISE] })] }];
  return writeResultFile(courseFixture({ name: '=Ada,"1"', lessons, assessment: {} }));
}

describe('turnwise grade', () => {
  const ada = file('ada.json', readersFile());

  test('grade prints a result for each question of a file', async () => {
    const { code, out, err } = await turnwise(['grade', ada]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/ada\.json: =Ada,"1"\nlesson .*\none-reward +1 +run end, seed 1 +\w{16} +reported *\n/);
    expect(out).toMatch(
      /\none-reward +1 +prediction of answer +1\.00 at the end +1\.00 measured +reported +mean distance 0\.\d\d/,
    );
    expect(out).toMatch(/\none-reward +1 +Advantage of attempt 1, turn 1 +1,5 +1\.50 +right +2 tries\n/);
    expect(out).toMatch(/\none-reward +1 +Advantage of attempt 2, turn 1 +0\.4 +-0\.50 +wrong +first try\n/);
  });

  test('grade reports unreadable files and grades the other files', async () => {
    const cut = file('cut.json', readersFile().slice(0, 300));
    const { code, out, err } = await turnwise(['grade', cut, join(folder, 'none.json'), ada, '--csv']);
    expect(code).toBe(1);
    expect(err).toMatch(/cut\.json: it is not JSON, or it was cut off\n.*none\.json: it cannot be read \(no such file/);
    const rows = out.trimEnd().split('\n');
    expect(rows[0]).toBe('file,name,lesson,attempt,question,answer,expected,grade,note');
    expect(rows.map((row) => /,(unreadable|reported|right|wrong)(,|$)/.exec(row)?.[1])).toEqual([
      ...[undefined, 'unreadable', 'unreadable'],
      ...['reported', 'reported', 'right', 'wrong'],
    ]);
    expect(rows[3]).toContain(`,"'=Ada,""1""",one-reward,1,"run end, seed 1",`);
  });

  test('grade prints no results if no file is readable', async () => {
    await expectRejected(
      ['grade', join(folder, 'none.json'), folder, '--csv'],
      /none\.json: it cannot be read \(no such file.*\n.*turnwise-test-\w+: it cannot be read/,
    );
  });

  test('grade reports the current folder as unreadable', async () => {
    await expectRejected(['grade', '.'], 'turnwise: .: it cannot be read');
  });

  test('grade reports a run with other settings than the run of its lesson', async () => {
    const trained = file('trained.json', writeResultFile(courseFixture()));
    const { code, out } = await turnwise(['grade', trained]);
    // The run has 4 updates, and the run of the lesson has 40.
    expect(code).toBe(1);
    expect(out).toContain('4 updates, the lesson has 40\n');
  });

  test('grade without a file is rejected', async () => {
    await expectRejected('grade', 'FILE is missing');
  });
});

test.each([
  ['=1+1', "'=1+1"],
  ['@sum', "'@sum"],
  ['-0,5', '"-0,5"'],
  ['-0.5', '-0.5'],
  ['-a', "'-a"],
  ['a "b", c', '"a ""b"", c"'],
])('the text %s is written as the spreadsheet cell %s', (text, cell) => expect(csvCell(text)).toBe(cell));
