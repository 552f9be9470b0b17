import { expect, test } from 'vitest';
import { RunDiagnosis } from '../../../src/diagnosis/runDiagnosis.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import { answer, type SyntheticRollout, syntheticGroup } from './synthetic.ts';

function diagnose(groups: readonly Group[], rule = 'grpo-or') {
  const diagnosis = new RunDiagnosis(rule);
  for (const group of groups) diagnosis.see(group);
  return diagnosis.result();
}

const kinds = (groups: readonly Group[]) => diagnose(groups).findings.map(({ kind }) => kind);
const range = (length: number) => Array.from({ length }, (_, at) => at);

/** Creates ten steps of one group each. `rolloutsOf` returns the rollouts of a step. */
const tenSteps = (rolloutsOf: (step: number) => readonly SyntheticRollout[]) =>
  range(10).map((step) => syntheticGroup(`step-${step}`, step, rolloutsOf(step)));

const call = (outcome: number, name = 'calc'): SyntheticRollout => ({
  turns: [{ text: '', tool_calls: [{ function: { name, arguments: '{}' } }] }, { text: 'It is 8.' }],
  last: { outcome },
});

test('a tool that every step uses equally is not a finding', () => {
  const groups = tenSteps((step) => [call(1), call(step % 2), answer(0), answer(1)]);
  expect(kinds(groups)).toEqual([]);
});

test('a tool whose use changes randomly from step to step is not a finding', () => {
  const groups = tenSteps((step) =>
    range(8).map((at) => (at < [6, 2, 7, 1, 5, 2, 6, 3, 2, 1][step] ? call(1) : answer(at % 2))),
  );
  expect(kinds(groups)).toEqual([]);
});

test('a tool that another tool replaces is not a finding if its calls get equal credit', () => {
  const groups = tenSteps((step) => range(8).map((at) => call(at % 2, at < 8 - step ? 'old' : 'new')));
  expect(kinds(groups)).toEqual([]);
});

test('a tool whose use falls from all rollouts to none is reported as given up', () => {
  const groups = tenSteps((step) => range(8).map((at) => (at < 8 - step ? call(at < 2 ? 1 : 0) : answer(1))));
  const [finding] = diagnose(groups).findings;
  expect(finding).toMatchObject({ kind: 'tool-given-up', confidence: 'high', firstStep: 1, lastStep: 7 });
  expect(finding.title).toBe('The tool is given up: calc');
});

test('a log of one step has no findings about trends', () => {
  expect(kinds([syntheticGroup('a', 1, [call(0), answer(1)])])).toEqual([]);
});

test('a reward component that rises while the rest of the reward falls is reported as farmed', () => {
  const parts = (step: number) =>
    range(8).map((at) => {
      const components = { format: step / 10, correct: at < 8 - step ? 1 : 0 };
      return answer(components.format + components.correct, { components });
    });
  const { findings } = diagnose(tenSteps(parts));
  expect(findings.map(({ kind, title }) => [kind, title])).toEqual([
    ['component-farmed', 'The component format rises while the rest of the reward falls'],
  ]);
});

test('reward components that rise together, or that do not sum to the reward, are not reported as farmed', () => {
  const parts = (sign: number) => (step: number) =>
    range(8).map((at) => {
      const components = { format: step / 10, correct: (at < step ? 1 : 0) * sign };
      return answer(components.format + (at < step ? 1 : 0), { components });
    });
  expect(kinds(tenSteps(parts(1)))).toEqual([]);
  expect(kinds(tenSteps(parts(-1)))).toEqual([]);
});

test('a reward component that is 0 in all rollouts is reported as constant, unless it is a penalty', () => {
  const rollouts = (name: string) => (step: number) =>
    range(8).map((at) => answer((at + step) % 2, { components: { correct: (at + step) % 2, [name]: 0 } }));
  expect(kinds(tenSteps(rollouts('cites')))).toEqual(['component-constant']);
  expect(kinds(tenSteps(rollouts('length_penalty')))).toEqual([]);
});

test('groups in which all rollouts fail are a finding, and groups in which all rollouts succeed are not', () => {
  expect(kinds(tenSteps(() => [answer(0), answer(0)]))).toEqual(['groups-without-signal']);
  expect(kinds(tenSteps(() => [answer(1), answer(1)]))).toEqual([]);
  expect(kinds(tenSteps((step) => [answer(0), answer(step % 2)]))).toEqual(['groups-without-signal']);
  expect(kinds(tenSteps((step) => [answer(0), answer(step < 6 ? 1 : 0)]))).toEqual([]);
});

test('the finding about groups without signal names a group with the most frequent reason', () => {
  const groups = tenSteps((step) => (step < 3 ? [answer(1), answer(1)] : [answer(0), answer(0)]));
  expect(diagnose(groups).findings.map((finding) => finding.groups)).toEqual([['step-3']]);
});

test('truncated rollouts are a finding if they are at least 30 % of the rollouts in the last steps', () => {
  const rollouts = (share: number) => (step: number) =>
    range(10).map((at) => answer(at % 2, step > 7 && at < share ? { truncated: true } : {}));
  expect(kinds(tenSteps(rollouts(3)))).toEqual(['truncated']);
  expect(kinds(tenSteps(rollouts(2)))).toEqual([]);
});

test('environment text within a turn is reported as missing turn boundaries', () => {
  const text = 'I look. <search>x</search><information>y</information> It is y.';
  const rollouts = range(4).map((at) => ({ turns: [{ text }], last: { outcome: at % 2 } }));
  expect(kinds([syntheticGroup('a', 1, rollouts)])).toEqual(['turn-boundaries']);
  const cut = range(4).map((at) => ({ turns: [{ text: 'a' }, { text }], last: { outcome: at % 2 } }));
  expect(kinds([syntheticGroup('a', 1, cut)])).toEqual([]);
});

test('rows whose prompts begin with other prompts of their group are reported as turns', () => {
  const rollouts = (contexts: readonly string[]) =>
    contexts.map((context, at) => ({ turns: [{ text: 'a', context }], last: { outcome: at % 2 } }));
  const group = (contexts: readonly string[]) => [syntheticGroup('a', 1, rollouts(contexts), {})];
  expect(diagnose(group(['q', 'q a: 1'])).findings[0]).toMatchObject({ kind: 'rows-are-turns', confidence: 'high' });
  expect(kinds(group(['q', 'other']))).toEqual([]);
  expect(kinds(group(['q', 'q']))).toEqual([]);
});

test('token lists of different lengths and credit outside the mask are findings', () => {
  const group = (turn: Record<string, unknown>) => [
    syntheticGroup('a', 1, [{ turns: [{ text: 'a', ...turn }], last: { outcome: 1 } }, answer(0)]),
  ];
  const mask = [true, false, true];
  expect(kinds(group({ mask, token_ids: [1, 2, 3], logprobs: [-1, -1], advantages: [1, 0, 1] }))).toEqual([]);
  expect(kinds(group({ mask, advantages: [1, 1, 1] }))).toEqual(['credit-outside-mask']);
  expect(kinds(group({ mask, token_ids: [1, 2] }))).toEqual(['token-lists']);
  expect(kinds(group({ mask: [false, false] }))).toEqual(['token-lists']);
  expect(kinds(group({ tokens: 0 }))).toEqual(['token-lists']);
});

test('equal long rollouts in several groups of a step are reported as repeated; equal short rollouts are not', () => {
  const groups = (text: string) =>
    range(4).map((at) =>
      syntheticGroup(`group-${at}`, 1, [
        { turns: [{ text }], last: { outcome: 1 } },
        { turns: [{ text: `${text}!` }], last: { outcome: 0 } },
      ]),
    );
  expect(kinds(groups('word '.repeat(100)))).toEqual(['repeated-rows']);
  expect(kinds(groups('word'))).toEqual([]);
});

test('equal long rollouts within a group are reported as copies', () => {
  const text = 'word '.repeat(100);
  const groups = tenSteps((step) =>
    range(4).map((at) => ({ turns: [{ text: `${text}${step}${Math.min(at, 2)}` }], last: { outcome: at % 2 } })),
  );
  expect(kinds(groups)).toEqual(['copied-rollouts']);
});

test('logged advantages in the opposite order of the rewards are a finding', () => {
  const groups = (advantages: readonly number[]) =>
    tenSteps(() => [answer(1, { advantage: advantages[0] }), answer(0, { advantage: advantages[1] })]);
  expect(diagnose(groups([0.7, -0.7]))).toMatchObject({ ruleInUse: 'logged', findings: [] });
  expect(kinds(groups([-0.7, 0.7]))).toEqual(['advantages-against-rewards']);
});

test('a diagnosis counts shared states, rules with equal credit, groups, rollouts and turns', () => {
  const turn = (action: string) => ({ text: 'a', state: 'start', action });
  const group = syntheticGroup('a', 1, [
    { turns: [turn('x'), { text: 'b', state: 'x', action: 'y' }], last: { outcome: 1 } },
    { turns: [turn('x'), { text: 'b', state: 'x', action: 'z' }], last: { outcome: 0 } },
    { turns: [{ ...turn('w'), state: 'alone' }], last: { outcome: 0 } },
  ]);
  const { sharedStates, rules, totals } = diagnose([group]);
  expect(sharedStates).toBe(4 / 5);
  expect(rules.find((names) => names.includes('grpo-or'))).toContain('mt-grpo');
  expect(totals).toMatchObject({ groups: 1, rollouts: 3, turns: 5 });
});
