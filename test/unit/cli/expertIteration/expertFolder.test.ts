import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expertIterationText } from '../../../../src/cli/commands/expertIteration.ts';
import {
  attemptLines,
  type ExpertPlan,
  expertFiles,
  openExpertFolder,
  readAttempts,
} from '../../../../src/cli/commands/expertRun.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-expert-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const PLAN: ExpertPlan = {
  ...{ settings: { maxTurns: 2 }, start: 'abc', expert: 'verifier', samples: 4, turns: 2, temperature: 0.7 },
  ...{ verifierSteps: 5, epochs: 2, learningRate: 1e-3, seed: 1, episodes: 4, problems: 0, budget: 5 },
};
const ROW = {
  ...{ programs: 90, right: 0.4, problems: 25, bestRight: 0.88, examples: 165, loss: [0.07, 0.05] as const },
  before: { first: 0.35, last: 0.6, byTests: 0.5, byVerifier: 0.55 },
  after: { first: 0.4, last: 0.65, byTests: 0.52, byVerifier: 0.625 },
};
const ATTEMPTS = [
  { task: 3, score: 0.5, before: [1, 2], written: [5, 9], tokens: [1, 2, 5, 9] },
  { task: 3, score: 1, before: [1, 2, 5, 7], written: [6, 9], tokens: [1, 2, 6, 9] },
];

describe('the folder of expert iteration', () => {
  const files = () => expertFiles(join(folder, 'new', 'one'), 2);
  const open = (plan: ExpertPlan = PLAN) => openExpertFolder(join(folder, 'new', 'one'), files(), plan);

  test('a new folder is created, with files for a state, and programs, verifier and policy per iteration', () => {
    expect(open()).toEqual({ plan: PLAN, iterations: [] });
    expect(existsSync(join(folder, 'new', 'one'))).toBe(true);
    const names = ['state', 'attempts-1', 'verifier-1', 'policy-1', 'attempts-2', 'verifier-2', 'policy-2'];
    expect(Object.keys(files())).toEqual(names);
  });

  test('an existing folder continues under the same plan, and differences of another plan are reported', () => {
    open();
    writeFileSync(files().state, JSON.stringify({ plan: PLAN, iterations: [ROW] }));
    expect(open().iterations).toEqual([ROW]);
    expect(() => open({ ...PLAN, samples: 8 })).toThrow('another "samples" (4, not 8); use another');
    const world = { maxTurns: 3 };
    expect(() => open({ ...PLAN, settings: world })).toThrow('another "settings" ({"maxTurns":2}, not {"maxTurns":3})');
    expect(() => open({ ...PLAN, verifier: 'def' })).toThrow('another "verifier" (none, not "def")');
    writeFileSync(files().state, JSON.stringify({ plan: { ...PLAN, verifier: 'def' }, iterations: [] }));
    expect(() => open()).toThrow('another "verifier" ("def", not none)');
  });

  test('the folder of another program is rejected and remains unchanged', () => {
    open();
    writeFileSync(files()['policy-2'], 'mine');
    expect(() => open()).toThrow(/policy-2.safetensors exists without .*expert-iteration.json/);
    writeFileSync(files().state, '[]');
    expect(() => open()).toThrow('is not a state file of expert-iteration');
    writeFileSync(files().state, '{');
    expect(() => open()).toThrow('is not a state file of expert-iteration');
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => openExpertFolder(file, expertFiles(file, 1), PLAN)).toThrow(`the folder ${file} cannot be created`);
  });
});

describe('programs of an iteration', () => {
  const file = () => join(folder, 'attempts-1.jsonl');

  test('programs of an iteration are equal after they are written and read', () => {
    writeFileSync(file(), attemptLines(ATTEMPTS));
    expect(readAttempts(file())).toEqual(ATTEMPTS);
  });

  test.each([
    ['{"task":3}'],
    ['{'],
    ['null'],
    [attemptLines([{ ...ATTEMPTS[0], score: 2 }]).trim()],
    [attemptLines([{ ...ATTEMPTS[0], written: [] }]).trim()],
  ])('a damaged program of an iteration is reported with its line: %s', (line) => {
    writeFileSync(file(), `${attemptLines(ATTEMPTS)}${line}\n`);
    expect(() => readAttempts(file())).toThrow(/attempts-1.jsonl, line 3: not an attempt; remove the file/);
  });
});

test('the report of expert iteration has the imitated programs, and the solved shares before and after', () => {
  const [head, taught, , below, ...solved] = expertIterationText({ turns: 3, budget: 5 }, [ROW, ROW]).split('\n');
  expect(head).toMatch(/^iteration +programs +right, % +problems/);
  expect(taught).toMatch(/^1 +90 +40.0 +25 +88.0 +165 +0.070 to 0.050$/);
  expect(below).toBe('');
  expect(solved.slice(0, 5).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['held-out, % solved', 'Iter-1', 'Iter-3', 'best of 5 by tests', 'and verifier'],
    ['the start', 'verifier 1', '35.0', '60.0', '50.0', '55.0'],
    ['policy 1', 'verifier 1', '40.0', '65.0', '52.0', '62.5'],
    ['policy 1', 'verifier 2', '35.0', '60.0', '50.0', '55.0'],
    ['policy 2', 'verifier 2', '40.0', '65.0', '52.0', '62.5'],
  ]);
});
