import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreditRule } from '../../src/credit/rule.ts';
import { findRule, RULES } from '../../src/credit/rules.ts';
import type { Parameter, ParameterValues } from '../../src/parameters/parameters.ts';
import { type Group, TURN_FIELDS } from '../../src/rollouts/forest.ts';
import { expectCredit, expectSameCredit } from '../creditExpectations.ts';
import { root } from '../files.ts';
import { IS_LONG } from '../isLong.ts';
import { creditOf, ruleProgram, ruleText } from '../pythonRules.ts';
import { randomGroups } from '../randomForests.ts';
import { type CreditCase, creditCases, rulesWithCases } from '../vectorFile.ts';

// The rule files of the Python package run here like any other program. Their credit equals that of the TypeScript
// rules.

const TOLERANCE = 1e-12;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
  await sandbox.ready();
});
afterAll(() => sandbox?.close());

/** Returns the credit of groups that the Python file of a rule computes. */
async function credits(rule: CreditRule, parameters: ParameterValues, groups: readonly Group[]) {
  const [outcomes] = await sandbox.execute([ruleProgram(rule, parameters, groups)]);
  return (outcomes ?? []).map((outcome) => creditOf(outcome, rule));
}

/** Returns the default parameters, and for each parameter all its alternative values. */
function settings(rule: CreditRule): ParameterValues[] {
  return [
    {},
    ...rule.parameters.flatMap((parameter) =>
      listAlternatives(parameter).map((value) => ({ [parameter.name]: value })),
    ),
  ];
}

function listAlternatives(parameter: Parameter): (string | number)[] {
  if (parameter.kind === 'number') {
    const middle = (parameter.min + parameter.max) / 2;
    return [parameter.integer ? Math.round(middle) : middle, parameter.min];
  }
  if (parameter.kind === 'choice') return parameter.options.filter((option) => option !== parameter.default);
  return parameter.kind === 'boolean' ? ['false'] : ['2/1', '1', '1/2/3'];
}

test('each rule has a Python file, and each Python file is a rule', () => {
  const files = readdirSync(join(root, 'python/turnwise_rl/rules')).filter((name) => name.endsWith('.py'));
  const names = files.map((name) => name.slice(0, -'.py'.length).replaceAll('_', '-'));
  expect(names.sort()).toEqual(RULES.map(({ name }) => name).sort());
});

test.each(rulesWithCases())('%s in Python computes the credit of credit.json', async (name) => {
  const casesByParameters = new Map<string, CreditCase[]>();
  for (const testCase of creditCases(name)) {
    const key = JSON.stringify(testCase.parameters);
    casesByParameters.set(key, [...(casesByParameters.get(key) ?? []), testCase]);
  }
  for (const cases of casesByParameters.values()) {
    const groups = cases.map(({ group }) => group);
    const results = await credits(findRule(name), cases[0].parameters, groups);
    cases.forEach((testCase, index) => {
      expectCredit(results[index], testCase, TOLERANCE);
    });
  }
});

/** Numbers of rollouts of the random groups. */
const SIZES = IS_LONG ? [1, 2, 3, 8, 33] : [1, 2, 3, 8];

describe.each(RULES.map((rule) => [rule.name, rule] as const))('%s in Python', (name, rule) => {
  test('the Python rule has the credit of the TypeScript rule on random forests, with any parameters', async () => {
    for (const [seed, parameters] of settings(rule).entries()) {
      const groups = randomGroups(rule, 40 + seed, SIZES);
      const results = await credits(rule, parameters, groups);
      expect(results.length).toBe(groups.length);
      groups.forEach((group, index) => {
        expectSameCredit(rule, results[index], rule.credit(group, parameters), TOLERANCE);
      });
    }
  });

  test('the Python rule has fewer than 60 lines of at most 130 characters', () => {
    const lines = ruleText(name).split('\n');
    expect(lines.length).toBeLessThan(60);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(130);
  });
});

test.each(RULES.filter(({ reads }) => reads.length > 0).map((rule) => [rule.name, rule] as const))(
  '%s in Python rejects a group with the message of the TypeScript rule',
  async (_, rule) => {
    const [complete] = randomGroups(rule, 7, [3]);
    const last = complete.turns.length - 1;
    for (const field of TURN_FIELDS.filter((candidate) => rule.reads.includes(candidate))) {
      const turns = complete.turns.map((turn, index) => (index === last ? { ...turn, [field]: undefined } : turn));
      const group = { ...complete, turns };
      const [[outcome] = []] = await sandbox.execute([ruleProgram(rule, {}, [group])]);
      const problem = catchMessage(() => rule.credit(group, {}));
      expect(outcome).toMatchObject({ kind: 'error', error: { type: 'GroupError' } });
      expect(
        outcome.kind === 'error' && problem.endsWith(`: ${outcome.error.message.split(': ').slice(1).join(': ')}`),
      ).toBe(true);
    }
  },
);

function catchMessage(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the rule in TypeScript refuses nothing');
}
