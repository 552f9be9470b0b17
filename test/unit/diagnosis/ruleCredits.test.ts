import { describe, expect, test, vi } from 'vitest';
import { findRule, RULES } from '../../../src/credit/rules.ts';
import { creditUnder } from '../../../src/diagnosis/ruleCredits.ts';
import { RunDiagnosis } from '../../../src/diagnosis/runDiagnosis.ts';
import { ForestError } from '../../../src/rollouts/forest.ts';
import { syntheticGroup } from './synthetic.ts';

const range = (length: number) => Array.from({ length }, (_, at) => at);

describe('a group whose turns all lack a field that a rule reads', () => {
  const cases = RULES.flatMap((rule) => rule.reads.map((field) => ({ name: rule.name, rule, field })));

  test.each(cases)('$name throws an error if all turns lack $field', ({ rule, field }) => {
    const turns = rule.example.turns.map(({ [field]: _, ...turn }) => turn);
    expect(() => rule.credit({ ...rule.example, turns: turns as typeof rule.example.turns }, {})).toThrow(ForestError);
  });

  test('a group that lacks a field has no credit under a rule that reads the field', () => {
    const { example } = findRule('rtmc');
    expect(creditUnder('rtmc', example)).toHaveLength(example.turns.length);
    expect(creditUnder('rtmc', { ...example, turns: example.turns.map(({ solved: _, ...turn }) => turn) })).toBe(
      undefined,
    );
  });

  test('a diagnosis runs a rule only once if the first group lacks a field of the rule', () => {
    const rtmc = vi.spyOn(findRule('rtmc'), 'credit');
    const diagnosis = new RunDiagnosis();
    const step = { text: 'a', state: 's', action: 'a' };
    for (const at of range(20)) {
      const rollouts = range(4).map((rollout) => ({ turns: [step, step], last: { outcome: rollout % 2 } }));
      diagnosis.see(syntheticGroup(`step-${at}`, at, rollouts));
    }
    // The first group shows that the rule cannot read the log.
    expect(rtmc).toHaveBeenCalledTimes(1);
    expect(diagnosis.result().groupsToRead[0].signals.rules).toEqual(['grpo-or', 'mt-grpo']);
    rtmc.mockRestore();
  });
});
