import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { findRule, RULES } from '../../../../src/credit/rules.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { LineSource } from '../../../../src/rollouts/import/logFile.ts';
import { type LoggedRollout, withFields } from '../../../../src/rollouts/import/rollout.ts';
import { readVerl } from '../../../../src/rollouts/import/verl.ts';
import { fixture, imported, linesOf, logOf } from './importLogs.ts';

const row = (parts: object) => ({ input: 'q', output: 'a', gts: '8', score: 1, step: 4, ...parts });

describe('verl dumps', () => {
  test('a verl dump is imported as one group per input, even if its rollouts are not adjacent', async () => {
    const { groups, notes } = await imported(fixture('verl/10.jsonl'), 'verl');
    expect(groups.map(({ id, step, gts }) => [id, step, gts])).toEqual([
      ['step-10/prompt-0', 10, '8'],
      ['step-10/prompt-1', 10, '1024'],
    ]);
    expect(groups[0].turns.map(({ parent, reward, outcome, solved }) => [parent, reward, outcome, solved])).toEqual([
      [-1, 0, undefined, undefined],
      [0, 0, undefined, undefined],
      [1, 0, 1, true],
      [-1, 0, -1, false],
    ]);
    expect(groups[0].turns[1].observation).toEqual([{ role: 'user', content: '<tool_response>\n8\n</tool_response>' }]);
    expect(groups[0].turns[3]).toMatchObject({ text: '2, 3, 5, 7, 11, 13, 17: \\boxed{7}', acc: false, pred: '7' });
    // The output of a tool looks like turns, but is not a turn.
    expect(groups[1].turns.map(({ text }) => String(text).slice(0, 11))).toEqual([
      '\\boxed{1024',
      '<tool_call>',
      '\\boxed{1024',
    ]);
    expect(notes).toEqual([
      '4 rows read; 2 groups, 4 rollouts and 7 turns made',
      'kept in turns: acc (4), pred (4)',
      'kept in groups: gts (2)',
      '1 of 2 groups give no credit under rules that compare outcomes: 1 all solved; 2 of 4 rollouts',
    ]);
  });

  test('rollouts of a verl dump have shared hidden classes, because V8 reads other objects several times slower', async () => {
    setFlagsFromString('--allow-natives-syntax');
    const haveSameClass = runInThisContext('(a, b) => %HaveSameMap(a, b)');
    const output = '<tool_call>{}</tool_call>\nuser\n<tool_response>b</tool_response>\nassistant\nb';
    const rows = Array.from({ length: 1000 }, () => row({ input: 'q\nassistant\n', output }));
    const rollouts: LoggedRollout[] = [];
    for await (const entry of new LineSource(logOf(linesOf(rows))).rows()) rollouts.push(...readVerl(entry.row));
    const [first, second] = rollouts.slice(-2);
    expect(first.turns).toHaveLength(2);
    expect(haveSameClass(first, second)).toBe(true);
    expect(haveSameClass(first.turns[0], second.turns[0])).toBe(true);
    const described = [first, second].map(({ turns }) => withFields(turns[0], { state: 'a', action: 'b' }));
    expect(haveSameClass(described[0], described[1])).toBe(true);
  });

  test('the outputs of a session in a verl dump are imported as one rollout', async () => {
    const { groups } = await imported(fixture('verl/v1-12.jsonl'), 'verl');
    expect(groups.map(({ id }) => id)).toEqual([
      'step-12/3f0c6f4e-2a51-4c0e-9a86-0a4b6b7f1d11',
      'step-12/9b1d7c02-7d3e-4a55-8f1e-5c2f7f0f4e22',
    ]);
    const [{ turns, prompt }] = groups;
    expect(turns.map(({ parent, text, outcome }) => [parent, text, outcome])).toEqual([
      [-1, 'The author used a pen name. I take notes.', undefined],
      [0, 'George Eliot.', 1],
      [-1, 'Jane Austen.', 0],
    ]);
    expect(prompt).toMatch(/Middlemarch\?\nassistant\n$/);
    expect(turns[1].context).toContain('Notes so far');
    expect(turns.map(({ uid }) => String(uid).slice(-4))).toEqual(['_0_0', '_0_1', '_1_0']);
  });

  test('outputs of a session in a verl dump are in the order of their index, and a repeated index is an error', async () => {
    const outputs = [2, 0, 1].map((part) => row({ output: `${part}`, uid: `u_0_${part}` }));
    const [{ turns }] = (await imported(linesOf(outputs), 'verl')).groups;
    expect(turns.map(({ text, parent }) => [text, parent])).toEqual([
      ['0', -1],
      ['1', 0],
      ['2', 1],
    ]);
    const twice = linesOf([row({ uid: 'u_0_0' }), row({ uid: 'u_1_0' }), row({ uid: 'u_0_0' })]);
    await expect(imported(twice, 'verl')).rejects.toThrow('log, line 1: part 0 of session 0 is there twice');
  });

  test('a verl dump with uids of another form is grouped by step and uid', async () => {
    const rows = [row({ uid: 'x' }), row({ uid: 'y' }), row({ uid: 'x', input: 'r' }), row({ uid: 'x', step: 5 })];
    const { groups } = await imported(linesOf(rows), 'verl');
    expect(groups.map(({ id, turns }) => [id, turns.length])).toEqual([
      ['step-4/x', 2],
      ['step-4/y', 1],
      ['step-5/x', 1],
    ]);
    // The uid has two inputs, so the group has no prompt.
    expect(groups[0].prompt).toBeUndefined();
    expect(groups[0].turns.map(({ context }) => context)).toEqual(['q', 'r']);
  });

  test.each([
    [true, true],
    [1, true],
    [false, false],
    [0, false],
    [0.5, undefined],
    ['yes', undefined],
    [undefined, undefined],
  ])('acc %j of a verl dump is imported as solved: %j', async (acc, solved) => {
    const [{ turns }] = (await imported(linesOf([row({ acc })]), 'verl')).groups;
    expect(turns[0].solved).toBe(solved);
  });

  test('columns of a verl dump with names that the group format reserves are stored in "logged"', async () => {
    const extra = { reward: 3, tokens: 'many', passed: 1, state: 2, format: 0.5, turns: 4 };
    const [group] = (await imported(linesOf([row(extra)]), 'verl')).groups;
    const { reward, tokens, passed, state, ...free } = extra;
    expect(group.turns).toEqual([
      { parent: -1, reward: 0, outcome: 1, text: 'a', ...free, logged: { reward, tokens, passed, state } },
    ]);
  });

  test('a verl dump of early versions is imported without a ground truth', async () => {
    const { gts: _, ...early } = row({});
    expect((await imported(linesOf([early]), 'verl')).groups[0]).not.toHaveProperty('gts');
  });

  test('a rollout of a verl dump with the score NaN is left out', async () => {
    const lines = `${JSON.stringify(row({}))}\n${JSON.stringify(row({ output: 'NaN "' })).replace('"score":1', '"score":NaN')}\n`;
    const { groups, notes } = await imported(lines, 'verl');
    expect(groups[0].turns).toHaveLength(1);
    expect(groups[0].leftOut).toEqual([{ turns: [{ text: 'NaN "' }] }]);
    expect(notes).toContain('values that are NaN or infinite, read as null: 1');
    expect(notes).toContain('1 rollout without a reward: kept apart, in "leftOut"');
  });

  test('a verl dump without any score has no group', async () => {
    const { groups, notes } = await imported(linesOf([row({ score: null })]), 'verl');
    expect(groups).toEqual([]);
    expect(notes).toContain('1 group without a scored rollout, not written: step-4/prompt-0');
  });

  test.each([
    [row({ output: undefined }), 'column "output": missing; the row has input, gts, score, step'],
    [row({ input: undefined }), 'column "input": missing'],
    [row({ score: undefined }), 'column "score": missing'],
    [row({ score: 'high' }), 'column "score": "high" is not a number or null'],
    [row({ output: ['a'] }), 'column "output": ["a"] is not a string'],
    [row({ step: 'x' }), 'column "step": "x" is not a number'],
    [row({ uid: 7 }), 'column "uid": 7 is not a string'],
  ])('an invalid row of a verl dump is an error: %j', async (bad, message) => {
    await expect(imported(linesOf([row({}), bad]), 'verl')).rejects.toThrow(`log, line 2, ${message}`);
  });

  test('every rule that reads only outcomes computes finite credit for a verl dump', async () => {
    const { groups } = await imported(fixture('verl/10.jsonl'), 'verl');
    const rules = RULES.filter(({ reads }) => reads.every((field) => field === 'outcome'));
    expect(rules.length).toBeGreaterThan(2);
    for (const rule of rules) {
      for (const group of groups) {
        const { advantage } = rule.credit(group, defaults(rule.parameters));
        expect([...advantage].every(Number.isFinite)).toBe(true);
      }
    }
    // By hand: outcomes 1 and -1, std sqrt(2): advantages 0.7071 and -0.7071, the same for all turns of a rollout.
    const grpo = findRule('grpo-or');
    const { advantage } = grpo.credit(groups[0], defaults(grpo.parameters));
    for (const [index, sign] of [1, 1, 1, -1].entries()) expect(advantage[index]).toBeCloseTo(sign * Math.SQRT1_2, 5);
  });
});
