import { describe, expect, test } from 'vitest';
import { withSuperscripts } from '../../../../src/app/inspector/derivation.ts';
import { violationText } from '../../../../src/app/python/pythonEditor.ts';
import { groupFile, groupJsonLine } from '../../../../src/app/runs/runFiles.ts';
import { withSample } from '../../../../src/app/session/runEvents.ts';
import { exerciseStrings } from '../../../../src/app/strings/exerciseStrings.ts';
import { inspectorStrings } from '../../../../src/app/strings/inspectorStrings.ts';
import { truthStrings } from '../../../../src/app/strings/truthStrings.ts';
import { RULES } from '../../../../src/credit/rules.ts';
import { readGroups, writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { groupId, groupName, groupNumber, groupUpdate } from '../../../../src/rollouts/rolloutBatch.ts';
import { groupOf } from '../appFixtures.ts';

test('a group has one number of its update on the page, and the same number of its group in files', () => {
  const group = { step: 4, group: 0, sampleOnly: false };
  expect([groupNumber(0), groupName(group), groupId(4, 0)]).toEqual([1, 'update 5, group 1', 'step-4-group-1']);
  expect(inspectorStrings.liveName(groupName(group))).toBe('the run, update 5, group 1');
  expect(groupFile(groupOf({ step: 4 })).message).toContain('update 5');
  expect(exerciseStrings.tiedGroups.name(0, 4)).toBe('A (update 5)');
  const { form, about } = truthStrings;
  expect(form.selectedNote(groupName(group), 16)).toBe('current group: update 5, group 1 of 16');
  expect(about.selectedTitle(groupName(group), 'q')).toBe('Update 5, group 1: q.');
  // The event log counts the updates before a sample.
  const [sampled] = withSample([], groupOf({ step: 4, sampleOnly: true, sample: 1 }));
  expect([sampled?.step, groupUpdate({ step: 4, sampleOnly: true })]).toEqual([4, 'after update 4']);
  expect(JSON.parse(groupJsonLine(groupOf({ step: 4, group: 2 }))).id).toBe('step-4-group-3');
});

describe('superscripts of formulas', () => {
  test.each([
    ['A^O = (R^O − 0.3) / 2', 'Aᴼ = (Rᴼ − 0.3) / 2'],
    ['A^I_1 + α^2 A^O', 'Aᴵ_1 + α² Aᴼ'],
    ['γ^{t+1} r', 'γᵗ⁺¹ r'],
    ['(1 − ρ)^α', '(1 − ρ)^α'],
    ['2^{α−1}', '2^{α−1}'],
    ['no power', 'no power'],
  ])('the formula %s is displayed with superscripts', (formula, expected) =>
    expect(withSuperscripts(formula)).toBe(expected),
  );

  test('the examples of all rules have no caret before a letter in displayed formulas', () => {
    const lines = RULES.flatMap((rule) => {
      const credit = rule.credit(rule.example, {});
      return rule.example.turns.flatMap((_, turn) =>
        Number.isNaN(credit.advantage[turn]) ? [] : rule.worked(turn, rule.example, credit, {}),
      );
    });
    expect(lines.some((line) => /\^[IOES]/.test(line))).toBe(true);
    expect(lines.map(withSuperscripts).filter((line) => /\^[A-Z]/.test(line))).toEqual([]);
  });
});

test('a sandbox violation of a program is described in plain language', () => {
  expect(violationText('called proc_exit, which is closed')).toBe(
    'the program called the host function “proc_exit”, which the sandbox blocks',
  );
  expect(violationText('the worker answered twice')).toBe('the worker answered twice');
});

test('written groups and the example of the rollout format are readable', () => {
  const groups = [...new Set(RULES.map(({ example }) => example))];
  expect(readGroups(writeGroups(groups))).toEqual(groups);
  expect(readGroups(inspectorStrings.format.example).map(({ turns }) => turns.length)).toEqual([2, 2]);
});
