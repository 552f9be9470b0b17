import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { CreditRule } from '../../src/credit/rule.ts';
import { RULES } from '../../src/credit/rules.ts';
import { type Parameter, parseParameter } from '../../src/parameters/parameters.ts';
import type { Group } from '../../src/rollouts/forest.ts';
import { readGroups } from '../../src/rollouts/jsonLines.ts';
import { randomGroups } from '../randomForests.ts';
import { begin, CaseFolder } from './caseFolder.ts';
import type { Fuzzer } from './fuzzer.ts';
import { type Change, changed, changes, type Damage, damaged, damages } from './mutations.ts';

/** A case: a file of groups, a rule, and the parameters of the rule. */
export interface GroupCase {
  readonly rule: CreditRule;
  /** Numbers that select the values of the first parameters of the rule. */
  readonly set: readonly number[];
  readonly seed: number;
  readonly sizes: readonly number[];
  readonly changes: readonly Change[];
  readonly damages: readonly Damage[];
}

export const groupCases: fc.Arbitrary<GroupCase> = fc.record({
  rule: fc.constantFrom(...RULES),
  set: fc.array(fc.nat({ max: 5 }), { maxLength: 4 }),
  seed: fc.nat({ max: 1000 }),
  sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
  changes: changes(),
  damages: damages(),
});

/** Returns the bytes of the file of a case. */
export function groupFile({ rule, seed, sizes, changes, damages }: GroupCase): Buffer {
  const groups = changed(randomGroups(rule, seed, [...sizes]), changes);
  const lines = Array.isArray(groups) ? groups : [groups];
  return damaged(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')), damages);
}

/** Returns `--set` flags with allowed values for the first parameters of the rule. */
export function setFlags({ rule, set }: GroupCase): string[] {
  return rule.parameters.slice(0, set.length).flatMap((parameter, index) => {
    const value = allowedValue(parameter, set[index]);
    return value === '' ? [] : ['--set', `${parameter.name}=${value}`];
  });
}

function allowedValue(parameter: Parameter, pick: number): string {
  switch (parameter.kind) {
    case 'choice':
      return parameter.options[pick % parameter.options.length];
    case 'boolean':
      return String(pick % 2 === 0);
    case 'list':
      return ['', '1', '2,1', '1,1,1', '3', '4,4'][pick];
    default: {
      const { default: usual, min, max, integer } = parameter;
      const middle = min + (max - min) / 2;
      const value = [usual, min, max, integer ? Math.round(middle) : middle, usual, usual][pick];
      return String(parseParameter([parameter], parameter.name, value));
    }
  }
}

/** Returns the groups of a file that `credit` accepted, gzip-compressed or not. */
export function acceptedGroups(bytes: Buffer): Group[] {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
  return readGroups(new TextDecoder().decode(plain).replace(/\n\uFEFF/g, '\n'));
}

/** Asserts that a line of credit has the shape of its group and contains finite numbers only. */
export function checkLine(line: Record<string, unknown>, rule: CreditRule, group: Group): void {
  assert.equal(line.id, JSON.parse(JSON.stringify(group.id)));
  const turns = group.turns.length;
  const finite = (value: unknown) => assert(Number.isFinite(value), `${JSON.stringify(value)} is no number`);
  if (rule.unit === 'token') {
    for (const name of ['advantages', 'returns']) {
      const lists = line[name] as number[][];
      assert.deepEqual(
        lists.map((list) => list.length),
        group.turns.map(({ tokens }) => tokens ?? 0),
      );
      lists.flat().forEach(finite);
    }
    return;
  }
  const advantage = line.advantage as (number | null)[];
  assert.equal(advantage.length, turns);
  for (const value of advantage) if (value !== null || !rule.retained) finite(value);
  for (const name of Object.keys(rule.outputs)) {
    for (const value of [line[name]].flat(2)) if (value !== null) finite(value);
  }
}

/** Asserts that a line has the credit of Dr. GRPO by its formula: the outcome minus the mean outcome of the group. */
function checkDrGrpo(line: Record<string, unknown>, { turns }: Group): void {
  const continued = new Set(turns.map(({ parent }) => parent));
  const outcomes = turns.flatMap(({ outcome }, turn) => (continued.has(turn) ? [] : [Number(outcome)]));
  const mean = outcomes.reduce((sum, value) => sum + value, 0) / outcomes.length;
  const outcomeOf = (turn: number): number => {
    const next = turns.findIndex(({ parent }) => parent === turn);
    return next < 0 ? Number(turns[turn].outcome) : outcomeOf(next);
  };
  const scale = Math.max(1, ...outcomes.map(Math.abs));
  (line.advantage as number[]).forEach((value, turn) => {
    assert(Math.abs(value - (outcomeOf(turn) - mean)) <= 1e-9 * scale, `turn ${turn}: ${value}`);
  });
}

const folder = new CaseFolder();

/** Fuzzer of files of groups with all rules on the CPU. */
export const groupFiles: Fuzzer<GroupCase> = {
  name: 'groups',
  about: 'files of groups, every rule with parameters, on the CPU',
  caseCount: 40,
  cases: groupCases,
  async checkCase(testCase) {
    folder.clear();
    const bytes = groupFile(testCase);
    const input = folder.file('groups.jsonl', bytes);
    const flags = [
      '--rule',
      testCase.rule.name,
      '--device',
      'cpu',
      ...setFlags(testCase),
      '--out',
      folder.path('credit.jsonl'),
    ];
    const description = begin(bytes);
    const known = [/(line \d+|has no groups)/];
    if (!(await folder.accepts(['credit', ...flags, input], 'groups.jsonl', description, known))) return;
    const groups = acceptedGroups(bytes);
    const lines = folder.read('credit.jsonl').trimEnd().split('\n');
    assert.equal(lines.length, groups.length, description);
    assert.deepEqual(folder.listing(), ['credit.jsonl', 'groups.jsonl'], description);
    lines.forEach((text, index) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      try {
        checkLine(line, testCase.rule, groups[index]);
        if (testCase.rule.name === 'dr-grpo') checkDrGrpo(line, groups[index]);
      } catch (error) {
        throw new Error(
          `${flags.join(' ')}\n${description}\nline ${index + 1}: ${(error as Error).message}\n${begin(text)}`,
        );
      }
    });
  },
};
