import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { answer, syntheticGroup } from '../../diagnosis/synthetic.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const FIELD = join(root, 'test/fixtures/field');
const EXPECTED = JSON.parse(readFileSync(join(FIELD, 'expected.json'), 'utf8'));
const { folder } = temporaryFolder();

/** Runs doctor and returns its exit code, output and JSON report. */
async function doctor(path: string, ...flags: readonly string[]) {
  const json = join(folder, 'doctor.json');
  const { code, out, err } = await turnwise(['doctor', '--json', json, ...flags, path]);
  expect(err).not.toContain('turnwise:');
  return { code, out, err, diagnosis: JSON.parse(readFileSync(json, 'utf8')) };
}

test('case 11: doctor prints a table of steps, and the finding with its first and last step', async () => {
  const { code, out, diagnosis } = await doctor(join(FIELD, '11-the-tool-dies'));
  expect(code).toBe(0);
  for (const [at, row] of EXPECTED['11'].table.entries()) {
    const step = diagnosis.steps[at];
    expect(step).toMatchObject({ step: row.step, reward: row.reward, calls: row.share_that_calls, rollouts: 8 });
    expect(step.turns / step.rollouts).toBe(row.turns_per_rollout);
    expect(step.ties).toEqual({});
    for (const [name, key] of [
      ['creditOfCall', 'credit_of_a_call_grpo-or'],
      ['creditOfAnswer', 'credit_of_an_answer_at_once'],
    ]) {
      if (row[key] === null) expect(step[name]).toBeNull();
      else expect(step[name]).toBeCloseTo(row[key], 9);
    }
  }
  expect(diagnosis.findings).toHaveLength(1);
  expect(diagnosis.findings[0]).toMatchObject({
    ...{ kind: 'tool-given-up', confidence: 'high', firstStep: 2, lastStep: 8 },
    groups: ['step-2/prompt-0', 'step-8/prompt-0'],
  });
  expect(out).toMatch(/^10 groups, 80 rollouts, 116 turns:\n {2}1\. The tool is given up: calc\n\ncredit: grpo-or/);
  expect(out).toContain('finding 1 (high confidence): The tool is given up: calc');
  expect(out).toContain('10    1       8         8      0.875   0.000');
});

test('case 12: doctor finds groups without signal and states the reasons', async () => {
  const { diagnosis } = await doctor(join(FIELD, '12-flat-groups'));
  const [finding, ...rest] = diagnosis.findings;
  expect(rest).toEqual([]);
  expect(finding.title).toBe('5 of 6 groups teach nothing under rules that compare rollouts');
  for (const [reason, count] of Object.entries(EXPECTED['12'].reasons))
    expect(finding.evidence[0]).toContain(`${count} ${reason}`);
  expect(finding.evidence[1]).toBe('17 of 21 rollouts are in these groups.');
});

test.each([
  'test/fixtures/diagnosis/healthy-mt-grpo.jsonl',
  'test/fixtures/lessons/pay-each-turn.jsonl',
  'test/fixtures/lessons/true-worth.jsonl',
  'test/fixtures/field/09-which-constants-were-used/group',
  'test/fixtures/field/10-several-turns-one-advantage',
  'test/fixtures/field/03-rows-are-turns',
  'test/fixtures/field/13-paid-by-the-turn',
  'test/fixtures/field/07-json-array-of-trials',
])('doctor has no finding for the healthy run %s', async (path) => {
  const { code, out, diagnosis } = await doctor(join(root, path), '--fail-on', 'low');
  expect(diagnosis.findings).toEqual([]);
  expect(out).toMatch(/^\d+ groups, \d+ rollouts, \d+ turns: no finding\n/);
  expect(code).toBe(0);
});

test('a Search run that stops using its tool has only this finding', async () => {
  const { diagnosis } = await doctor(join(root, 'test/fixtures/lessons/tool-dies.jsonl'));
  expect(diagnosis.findings.map(({ title }: { title: string }) => title)).toEqual(['The tool is given up: search']);
});

test('for a large log, every rule is computed only for a sample of groups, whose size is printed', async () => {
  const file = join(folder, 'large.jsonl');
  const groups = Array.from({ length: 1100 }, (_, at) => syntheticGroup(`g${at}`, at % 7, [answer(at % 2), answer(1)]));
  writeFileSync(file, writeGroups(groups));
  const { out, diagnosis } = await doctor(file);
  // Groups 0 to 999, and each later group whose number is a multiple of 16: 1008 to 1088.
  expect(diagnosis.comparedGroups).toBe(1006);
  expect(out).toContain('every rule was computed for 1006 of 1100 groups');
  const all = diagnosis.steps.reduce((sum: number, { groups }: { groups: number }) => sum + groups, 0);
  expect(all).toBe(1100);
});

test('a log without rewards has only the finding of groups without signal', async () => {
  const file = join(folder, '1.jsonl');
  const row = JSON.stringify({ input: 'q', output: 'a', score: null, step: 1 });
  writeFileSync(file, Array.from({ length: 5 }, (_, at) => row.replace('"q"', `"q${at}"`)).join('\n'));
  const { out } = await doctor(file);
  expect(out).toMatch(/^no group with a reward\n\nfinding 1 \(high confidence\): 5 of 5 groups teach nothing/);
});

test('doctor evaluates the advantages of the log if the log has advantages', async () => {
  const { out, diagnosis } = await doctor(join(root, 'test/fixtures/diagnosis/healthy-mt-grpo.jsonl'));
  expect(diagnosis.ruleInUse).toBe('logged');
  expect(out).toContain('credit: the advantages of the log');
});

test.each([
  ['high', 1],
  ['low', 1],
  ['tool-given-up', 1],
  ['truncated', 0],
])('doctor --fail-on %s exits for case 11 with code %i', async (level, code) => {
  const result = await turnwise(['doctor', '--fail-on', level, join(FIELD, '11-the-tool-dies')]);
  expect(result.code).toBe(code);
});

test.each([
  ['high', 0],
  ['medium', 1],
  ['low', 1],
])(
  'doctor --fail-on %s exits with code %i for a log that has only findings of medium confidence',
  async (level, code) => {
    const file = join(folder, 'truncated.jsonl');
    const rollouts = Array.from({ length: 40 }, (_, at) => answer(at % 2, { truncated: at % 4 > 1 }));
    writeFileSync(file, writeGroups([1, 2].map((step) => syntheticGroup(`g${step}`, step, rollouts))));
    const result = await doctor(file, '--fail-on', level);
    expect(result.diagnosis.findings.map(({ confidence }: { confidence: string }) => confidence)).toEqual(['medium']);
    expect(result.code).toBe(code);
  },
);

test('doctor --fail-on with kinds of findings fails only if a finding has one of these kinds', async () => {
  const path = join(FIELD, '12-flat-groups');
  expect((await turnwise(['doctor', '--fail-on', 'truncated,component-farmed', path])).code).toBe(0);
  expect((await turnwise(['doctor', '--fail-on', 'groups-without-signal', path])).code).toBe(1);
});

test('an unknown level of --fail-on and an unknown rule are reported', async () => {
  await expectRejected(['doctor', '--fail-on', 'worst', FIELD], '--fail-on: "worst" is not one of high, medium, low');
  await expectRejected(['doctor', '--rule', 'grpo', FIELD], '--rule');
});
