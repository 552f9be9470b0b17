import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCustomRule } from '../../src/credit/rules/custom/customRule.ts';
import { findRule, RULES } from '../../src/credit/rules.ts';
import { CustomRules } from '../../src/customRules/customRules.ts';
import { expectSameCredit } from '../creditExpectations.ts';
import { root } from '../files.ts';
import { ruleText } from '../pythonRules.ts';
import { randomGroups } from '../randomForests.ts';
import { ATTACK_FUEL, RULE_ATTACKS, readAttackMessage, small } from './attacksCustomRules.ts';

// Custom rules as in a run: one call of the sandbox per batch, and the host checks the results.

let sandbox: Sandbox;
let rules: CustomRules;
const library = async () => readFileSync(join(root, 'python/turnwise_rl/core.py'), 'utf8');
beforeAll(async () => {
  sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
  rules = new CustomRules({ sandbox: () => sandbox, library }, ATTACK_FUEL);
  await sandbox.ready();
});
afterAll(() => sandbox?.close());

const named = (source: string, values: Record<string, number | string> = {}) =>
  encodeCustomRule({ file: 'my_rule.py', values, source });

describe.each(RULES.filter(({ unit }) => unit === 'turn').map((rule) => [rule.name, rule] as const))(
  '%s as a custom rule',
  (name, rule) => {
    test('a custom rule computes the credit of the TypeScript rule for a batch', async () => {
      const groups = randomGroups(rule, 11, [1, 2, 3, 8, 33]);
      const customRule = named(ruleText(name));
      await rules.work(customRule, groups, 'turn');
      for (const group of groups) {
        const { advantage, intermediate } = findRule(customRule).credit(group, {});
        const expected = rule.credit(group, {});
        expectSameCredit(rule, { ...expected, advantage }, expected, 1e-12);
        expect(Object.keys(intermediate).sort()).toEqual(Object.keys(rule.outputs).sort());
      }
    });
  },
);

test('the description of a custom rule contains names, kinds and bounds of parameters', async () => {
  const { parameters, doc, line } = await rules.describe({ file: 'mt_grpo.py', source: ruleText('mt-grpo') });
  expect(parameters.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'alpha number',
    'absent choice',
    'profile choice',
  ]);
  expect(parameters[0]).toMatchObject({ default: 1, min: 0, max: 1 });
  expect(doc).toContain('MT-GRPO');
  expect(ruleText('mt-grpo').split('\n')[Number(line) - 1]).toMatch(/^def credit/);
  const group = small('a');
  const customRule = named(ruleText('mt-grpo'), { alpha: 0.5, profile: 'trl,ddof=0' });
  await rules.work(customRule, [group]);
  const expected = findRule('mt-grpo').credit(group, { alpha: 0.5, profile: 'trl', ddof: '0' });
  expect(Array.from(findRule(customRule).credit(group, {}).advantage)).toEqual(Array.from(expected.advantage));
  await expect(rules.work(named(ruleText('mt-grpo'), { alpha: 2 }), [group])).rejects.toThrow(
    'alpha: 2 is not a number from 0 to 1',
  );
});

test.each([
  ['', [10.5, 10.5], [10.5, 11.25], [0.5, 1.25]],
  ['REWARDS = "outcome"\n', [20.5, 21.25], [10.5, 11.25], [0.5, 1.25]],
  ['REWARDS = "attempts"\n', [20.5, 21.5], [10.5, 12.25], [0.5, 1.25]],
])(
  'a rule with the line %j reads rewards, outcomes and outcome_is_total as the line declares',
  async (line, ...credits) => {
    const turns = [
      { parent: -1, reward: 0.5 },
      { parent: 0, reward: 0.25, outcome: 1 },
    ];
    const source = `${line}def credit(group):
    known = {None: 0.0, False: 10.0, True: 20.0}[group.outcome_is_total]
    return [known + turn.reward + (turn.outcome or 0.0) for turn in group.turns]`;
    for (const [index, outcomeIsTotal] of [true, false, undefined].entries()) {
      const group = { id: `${outcomeIsTotal}`, turns, ...(outcomeIsTotal === undefined ? {} : { outcomeIsTotal }) };
      await rules.work(named(source), [group]);
      expect([outcomeIsTotal, ...findRule(named(source)).credit(group, {}).advantage]).toEqual([
        outcomeIsTotal,
        ...credits[index],
      ]);
    }
  },
);

test.each([
  ['REWARDS = "turns"', 'my_rule.py, line 2: REWARDS is "turns", not "outcome" or "attempts"'],
  ["BATCH = 'rollout'  # all", 'my_rule.py, line 2: BATCH is "rollout", not "rollouts" or "tokens"'],
])('the invalid constant %s is rejected with its line', async (line, message) => {
  const source = `"A rule."\n${line}\ndef credit(group):\n    return [0.0 for turn in group.turns]`;
  await expect(rules.work(named(source), [small('a')])).rejects.toThrow(message);
  await expect(rules.describe({ file: 'my_rule.py', source })).rejects.toThrow(message);
});

test('a group without computed credit and a name without a valid rule are rejected', () => {
  expect(() => findRule(named('x')).credit(small('a'), {})).toThrow('has not been computed yet');
  expect(() => findRule('own:{}')).toThrow('needs the name of its file');
  expect(() => findRule('own:')).toThrow('is not JSON');
});

describe('explanations of a rule', () => {
  const file = (derivations: string) =>
    `def credit(group, weight=2.0):\n    return [weight * turn.reward for turn in group.turns], {}\ndef worked(group, turn, advantage):\n${derivations}`;
  const explainTurns = async (derivations: string) => {
    const group = small('a');
    const customRule = named(file(derivations), { weight: 3 });
    await rules.explain(customRule, group);
    const rule = findRule(customRule);
    const credit = { advantage: new Float64Array(group.turns.length), intermediate: {} };
    return group.turns.map((_, turn) => rule.worked(turn, group, credit, {}));
  };

  test('worked() explains each turn with the active parameter values', async () => {
    const lines = await explainTurns("    return [f'R = {group.turns[turn].reward}', f'A = {advantage}']\n");
    expect(lines).toEqual(
      small('a').turns.map(({ reward }) => [`R = ${pythonFloat(reward)}`, `A = ${pythonFloat(3 * reward)}`]),
    );
  });

  test('a rule without worked() has no explanation', async () => {
    const group = small('a');
    const customRule = named('def credit(group):\n    return [0.0] * len(group.turns)\n');
    expect((await rules.describe({ file: 'my_rule.py', source: 'def credit(group):\n    return []\n' })).explains).toBe(
      false,
    );
    await rules.explain(customRule, group);
    expect(findRule(customRule).worked(0, group, { advantage: new Float64Array(9), intermediate: {} }, {})).toEqual([]);
  });

  test.each([
    ['    return 3\n', 'worked() must return a list of texts'],
    ['    return [advantage]\n', 'worked() must return a list of texts'],
    ['    return [object()]\n', 'worked() must return a list of texts'],
    ['    class Text(str): pass\n    return [Text("a")]\n', 'worked() must return a list of texts'],
    ['    return group.none\n', 'line 4'],
  ])('an invalid worked() with the body %j is reported for each turn', async (derivations, problem) => {
    const lines = await explainTurns(derivations);
    lines.forEach(([line], turn) => {
      expect(line).toContain(problem);
      expect(line).toContain(`turn ${turn}`);
    });
  });

  test('a long explanation is truncated, and an endless worked() is stopped', async () => {
    const lines = await explainTurns("    return ['x' * 9000] * 9000\n");
    expect(lines[0].length).toBe(50);
    expect(lines[0][0].length).toBe(500);
    await expect(explainTurns('    while True: pass\n')).rejects.toThrow('steps for a batch');
  });
});

/** Formats a number as Python does: an integral float ends with `.0`. */
const pythonFloat = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value));

describe('attacks', () => {
  test('there are at least 30 attacks on rules, with different names', () => {
    expect(RULE_ATTACKS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(RULE_ATTACKS.map(({ name }) => name)).size).toBe(RULE_ATTACKS.length);
  });

  test.each(RULE_ATTACKS.map((attack) => [attack.name, attack] as const))(
    'the host withstands the attack of a rule: %s',
    async (_, { source, message: pattern }) => {
      const groups = [small('a'), small('b')];
      const message = await readAttackMessage(rules, source, groups);
      if (pattern) expect(message).toMatch(pattern);
      else expect(message).toBe('a credit');
      // The groups are unchanged, and the sandbox still works.
      expect(groups).toEqual([small('a'), small('b')]);
      const healthy = small('c');
      await rules.work(named(ruleText('grpo-or')), [healthy], 'turn');
      expect(findRule(named(ruleText('grpo-or'))).credit(healthy, {}).advantage).toHaveLength(3);
    },
  );
});
