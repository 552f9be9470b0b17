import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownName } from '../../src/credit/rules/own/ownSource.ts';
import { loadTask, TASK_NAMES } from '../../src/experiments/challenge/challengeTask.ts';
import { judgeRule, taskResult } from '../../src/experiments/challenge/judgeRule.ts';
import {
  type ChallengeResult,
  readChallengeFile,
  writeChallengeFile,
} from '../../src/lessons/results/challengeFile.ts';
import { digestOf } from '../../src/lessons/results/digest.ts';
import { RACE, raceRuns } from '../../src/lessons/results/race.ts';
import { ResultError } from '../../src/lessons/results/resultError.ts';
import { ruleText } from '../pythonRules.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';

// A result of the challenge as a file, checked in the terminal; nothing is trained.

let folder: string;
let result: ChallengeResult;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-challenge-'));
  const tasks = await Promise.all(TASK_NAMES.map(loadTask));
  const curve = Array.from({ length: RACE.steps }, (_, step) => step / RACE.steps);
  const curves = { 'heldOut:answer': curve, answer: curve, toolUse: curve };
  const rule = { file: 'ada.py', values: {}, source: ruleText('grpo-or') };
  const race = raceRuns(ownName(rule)).map(({ name }) => ({ name, device: 'here', curves, digest: digestOf(curves) }));
  result = {
    name: 'Ada',
    rule,
    // An own rule's arithmetic is Python's, so its figures are taken from a rule whose numbers are the same in both.
    tasks: tasks.map((task) => taskResult(task.name, judgeRule(task, 'grpo-or'))),
    race: race.slice(0, 1),
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

async function grade(changed: Partial<ChallengeResult>) {
  const file = join(folder, 'result.json');
  writeFileSync(file, writeChallengeFile({ ...result, ...changed }));
  return turnwise(['grade', '--untrained', file]);
}

test('the figures that come again are the same, and a race that is not run is unchecked', async () => {
  const { code, out, err } = await grade({});
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('result.json: Ada');
  expect(out.match(/challenge +(ties|tree|meeting) .* same/g)).toHaveLength(3);
  expect(out).toMatch(/race: own, seed 1 .* unchecked +not trained/);
});

test('a figure that was changed is named', async () => {
  const [ties, tree, meeting] = result.tasks;
  const figures = { ...meeting.figures, wrong: [0, 0, 0] } as typeof meeting.figures;
  const changed = { ...meeting, ...(figures ? { figures } : {}) };
  const { code, out } = await grade({ tasks: [ties, tree, changed] });
  expect(code).toBe(1);
  expect(out).toMatch(/meeting .* differs +wrong is 0, and 0\.\d+ here/);
});

test('a rule that loops, or breaks out, is told and does no harm', async () => {
  for (const [source, problem] of [
    ['def credit(group):\n    while True: pass\n', 'took more than 50,000,000 steps'],
    ['import os\ndef credit(group):\n    os.system("touch /tmp/harm")\n', 'ada.py'],
  ]) {
    const { code, out } = await grade({ rule: { file: 'ada.py', values: {}, source } });
    expect(code).toBe(1);
    expect(out).toMatch(/ties .* differs +ada\.py fails: /);
    expect(out).toContain(problem);
  }
});

test('a file that is not whole is refused by its field', () => {
  const text = writeChallengeFile(result);
  expect(readChallengeFile(text)).toEqual(result);
  const wrong = (change: (file: Record<string, unknown>) => void) => {
    const file = JSON.parse(text) as Record<string, unknown>;
    change(file);
    return () => readChallengeFile(JSON.stringify(file));
  };
  expect(wrong((file) => delete file.rule)).toThrow(new ResultError('rule is missing, not an object'));
  expect(wrong((file) => (file.tasks = [{ task: 'ties', figures: { correlation: [1, 2] } }]))).toThrow(
    'tasks[0].figures.correlation has 2 numbers',
  );
  expect(
    wrong((file) => {
      const [run] = file.race as { curves: { answer: number[] } }[];
      run.curves.answer[3] = 1;
    }),
  ).toThrow('race[0]: its curves were changed');
  expect(wrong((file) => (file.formatVersion = 2))).toThrow('its format version is 2');
  expect(() => readChallengeFile(text.slice(0, 300))).toThrow('it is not JSON, or it was cut off');
  expect(readFileSync(join(folder, 'result.json'), 'utf8')).toContain('"turnwise-challenge-result"');
});
