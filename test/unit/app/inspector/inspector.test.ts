import { describe, expect, test } from 'vitest';
import {
  allCredits,
  type CreditChoice,
  creditOf,
  MAX_DRAWN_TURNS,
  readTurnCredit,
  selectSupportedRule,
  viewsOf,
  withValues,
} from '../../../../src/app/inspector/choice.ts';
import { creditsCsv } from '../../../../src/app/inspector/creditColumns.ts';
import { inspect, inspectView, listRemainingFields } from '../../../../src/app/inspector/inspected.ts';
import { FEEDBACK_TREE, TESTED, TWO_TURNS } from '../../../../src/credit/explanation/examples.ts';
import { RULES } from '../../../../src/credit/rules.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { expectCredit } from '../../../creditExpectations.ts';
import { creditCases } from '../../../vectorFile.ts';
import { groupOf } from '../appFixtures.ts';

const UNCHANGED: CreditChoice = { rule: 'mt-grpo', values: {} };

describe('selection of a rule', () => {
  test('a selected rule computes the credit of the test vectors, again after its parameters change', () => {
    for (const { rule, parameters, group, ...expected } of ['murphy-mars', 'murphy-mers', 'verpo', 'rtmc'].flatMap(
      creditCases,
    )) {
      const before = creditOf(group, UNCHANGED, rule);
      expect(before.problem).toBeUndefined();
      expect(creditOf(group, UNCHANGED, rule)).toBe(before);
      const { credit } = creditOf(group, withValues(UNCHANGED, rule, parameters), rule);
      if (!credit) throw new Error(`${rule} did not read ${group.id}`);
      expectCredit(credit, { rule, parameters, group, ...expected }, 1e-9);
    }
  });

  test('every rule has its credit of a group or the reason for an error', () => {
    const outcomes = allCredits(FEEDBACK_TREE, UNCHANGED);
    expect(outcomes.map(({ rule }) => rule)).toEqual(RULES);
    expect(outcomes.flatMap(({ rule, credit }) => (credit ? rule.name : []))).toEqual(['murphy-mars', 'murphy-mers']);
    const rejected = outcomes.find(({ rule }) => rule.name === 'verpo');
    expect(rejected?.problem).toBe(
      'turn 0, field "parent": this rule needs trajectories, but turns 3, 4 all continue this turn',
    );
  });

  test('the default rule fits the group, and a selected rule remains if it supports the group', () => {
    const [repo] = creditCases('rtmc');
    expect(
      [FEEDBACK_TREE, TESTED, repo.group].map((group) => selectSupportedRule(group, { rule: '', values: {} })),
    ).toEqual(['murphy-mars', 'verpo', 'rtmc']);
    expect(selectSupportedRule(TWO_TURNS, { rule: 'rloo', values: {} })).toBe('rloo');
    expect(selectSupportedRule(FEEDBACK_TREE, { rule: 'rloo', values: {} })).toBe('murphy-mars');
  });

  test('the Inspector lists the views for which a group has data', () => {
    const [repo] = creditCases('rtmc');
    const views = [FEEDBACK_TREE, TESTED, repo.group, TWO_TURNS, { id: 'none', turns: [] }].map((group) =>
      viewsOf(inspect(group)),
    );
    expect(views).toEqual([['programs', 'turns'], ['programs', 'turns'], ['states', 'turns'], ['turns'], ['turns']]);
  });
});

describe('a group whose outcomes contain the turn rewards', () => {
  const rewards = [
    [0.8, 0.2],
    [0.2, 0],
    [0.5, 0.5],
    [0, 0.1],
  ];
  const turns = rewards.flatMap(([first, last], index) => [
    { parent: -1, reward: first },
    { parent: 2 * index, reward: last, outcome: first + last },
  ]);
  const group: Group = { id: 'totals', outcomeIsTotal: true, turns };

  test('rules of turn rewards count each reward once if outcomes contain the turn rewards', () => {
    const { credit } = creditOf(group, { rule: 'grpo-mr', values: { 'grpo-mr': { profile: 'dr-grpo' } } });
    const [first, , second] = credit?.advantage ?? [];
    // Rewards 1, 0.2, 1, 0.1 have the mean 0.575.
    expect(first).toBeCloseTo(0.425, 12);
    expect(second).toBeCloseTo(-0.375, 12);
  });
});

describe('turn values of a rule', () => {
  const small = { intra: '2' };
  const choice = withValues(UNCHANGED, 'murphy-mars', small);

  test('the value of a turn is the value that the rule credits, or undefined without one', () => {
    const credit = creditOf(FEEDBACK_TREE, UNCHANGED, 'murphy-mars').credit;
    expect(FEEDBACK_TREE.turns.map((_, turn) => readTurnCredit(credit, turn))).toEqual([1, 0.5, 1, 1, 0.5, 0, 0.5]);
    // The first turn has the mean reward and is pruned with its continuations.
    const pruned = creditOf(FEEDBACK_TREE, choice, 'murphy-mars').credit;
    expect(FEEDBACK_TREE.turns.flatMap((_, turn) => (readTurnCredit(pruned, turn) === undefined ? turn : []))).toEqual([
      0, 3, 4,
    ]);
    expect(readTurnCredit(creditOf(TWO_TURNS, UNCHANGED, 'grpo-or').credit, 0)).toBeUndefined();
    expect(readTurnCredit(undefined, 0)).toBeUndefined();
  });

  test('the table of turn values has a column for each rule and an empty field for each pruned turn', () => {
    const [head, ...rows] = creditsCsv(FEEDBACK_TREE, allCredits(FEEDBACK_TREE, choice)).trim().split('\n');
    expect(head).toBe('turn,parent,reward,outcome,murphy-mars,murphy-mers');
    const mers = creditOf(FEEDBACK_TREE, choice, 'murphy-mers').credit?.advantage ?? [];
    expect(rows[0]).toBe(`0,-1,0.5,,,${mers[0]}`);
    expect(rows).toHaveLength(FEEDBACK_TREE.turns.length);
  });

  test('programs are not drawn if a group has too many turns', () => {
    const turns = Array.from({ length: MAX_DRAWN_TURNS + 1 }, () => ({ parent: -1, reward: 0, passed: [1] }));
    expect(viewsOf(inspect({ id: 'many', turns }))).toEqual(['turns']);
    expect(viewsOf(inspect({ id: 'many', turns: turns.slice(1) }))).toEqual(['programs', 'turns']);
  });
});

describe('readable content of a turn', () => {
  const test0 = { args: '[5]', expected: '0', got: '5', passed: false, visible: true };
  const messages = { feedback: 'For [5] it gives 5, not 0.', reflection: 'condition in line 4: put in >' };
  const detail = { program: 'return a', tests: [test0], ...messages };
  const tool = { call: 'view("core.py")', answer: [[{ text: 'm = ' }, { text: 'min', mark: 'wrong' }]] };
  const turn = {
    parent: -1,
    reward: 0,
    passed: [0],
    detail,
    tool,
    summary: 'ran',
    tokenTexts: ['return', { text: 'a' }],
  };

  test('the content of a turn is read from a file if it has the expected form', () => {
    const { details } = inspect({ id: 'a', turns: [turn] });
    expect(details).toEqual([{ detail, tool, summary: 'ran', tokens: [{ text: 'return' }, { text: 'a' }] }]);
    expect(listRemainingFields(turn)).toEqual([]);
  });

  test.each([
    ['detail', { program: 'x', tests: [{ ...test0, passed: 1 }] }],
    ['detail', { ...detail, reflection: ['condition'] }],
    ['detail', 'text'],
    ['tool', { call: 'x', answer: [[{ text: 'a', mark: 'new' }]] }],
    ['tokenTexts', [1]],
    ['summary', 3],
    ['observation', { role: 'tool' }],
  ])('the field %s is shown unchanged if its form is invalid', (field, value) => {
    const odd = { ...turn, [field]: value };
    expect(inspect({ id: 'a', turns: [odd] }).details[0]).not.toHaveProperty(field, value);
    expect(listRemainingFields(odd)).toEqual([[field, typeof value === 'string' ? value : JSON.stringify(value)]]);
  });

  test('the content of a turn is read from a displayed group, with its tokens by turn', () => {
    const view = groupOf();
    const { group, details } = inspectView(view);
    expect(group.turns.map(({ parent }) => parent)).toEqual([-1, 0, -1, 2]);
    expect(details.map(({ tokens }) => tokens?.length)).toEqual(group.turns.map(({ tokens }) => tokens));
    expect(creditOf(group, UNCHANGED, 'grpo-or').problem).toBeUndefined();
  });
});
