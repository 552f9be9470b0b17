import { expect, test } from 'vitest';
import { evaluateRepair } from '../../../../src/experiments/evaluation/repairEvaluation.ts';
import { evaluateScaffolds, type ScaffoldPlan } from '../../../../src/experiments/scaffolds/evaluateScaffolds.ts';
import { REFLEXION } from '../../../../src/experiments/scaffolds/scaffold.ts';
import { NEARLY, RIGHT, type Script, scripted, VISIBLE, ZERO } from '../evaluation/scriptedPolicy.ts';

const PLAN: ScaffoldPlan = {
  split: 'held-out',
  samples: 8,
  scaffolds: ['refine', 'reflexion', 'shuffled-reflexion'],
  budget: 3,
  children: 2,
  verifier: false,
  runs: 2,
  sampling: { temperature: 1, topP: 1, topK: 0 },
};
const FIX = 'condition 4 >';

/**
 * Policy whose first program is nearly right. After a reflection with the fix it writes the right program, otherwise
 * the same program.
 */
const compliant: Script = (prompt, draw) => {
  if (!prompt.includes('<fb>')) return NEARLY;
  if (prompt.endsWith('<reflect>')) return draw < 50 ? `${FIX} <program> ${RIGHT}` : `same <program> ${NEARLY}`;
  return prompt.endsWith(`${FIX} <program>`) ? RIGHT : NEARLY;
};
const runScript = (script: Script, plan: Partial<ScaffoldPlan> = {}) => {
  const { sampler, promptLog } = scripted(script, 16, undefined, 'written');
  return { promptLog, sampler, reports: evaluateScaffolds(sampler, { ...PLAN, ...plan }) };
};

test('Reflexion continues and answers with the last program, until it passes the visible tests', () => {
  const createAttempt = (visible: number) => ({ parent: -1, visible, program: '' });
  expect(REFLEXION.next([], 0)).toEqual([-1]);
  expect(REFLEXION.next([createAttempt(0.5), createAttempt(0.25)], 0)).toEqual([1]);
  expect(REFLEXION.next([createAttempt(0.5), createAttempt(1)], 0)).toEqual([]);
  expect(REFLEXION.answer([createAttempt(1), createAttempt(0.5)])).toBe(1);
});

test('Reflexion requests reflections, and other scaffolds do not', async () => {
  const { promptLog, reports } = runScript(compliant, { samples: 1, runs: 1, scaffolds: ['refine'] });
  const [refine] = (await reports) ?? [];
  expect(promptLog.some((prompt) => prompt.includes('<reflect>'))).toBe(false);
  expect(promptLog.filter((prompt) => prompt.includes('<fb>')).every((prompt) => prompt.endsWith(' <c>'))).toBe(true);
  expect([refine.solved[2].mean, refine.programCount.mean, refine.reflections]).toEqual([0, 3, undefined]);

  const result = runScript(compliant, { samples: 1, runs: 1, scaffolds: ['reflexion'] });
  await result.reports;
  expect(result.promptLog[0]).toBe('<p> sum of above 5 def(a) <c>');
  const followUps = result.promptLog.filter((prompt) => prompt.includes('<fb>'));
  expect(followUps.length).toBeGreaterThan(0);
  // The prompt contains the last program and its feedback, and no earlier reflection.
  for (const prompt of followUps) expect(prompt).toMatch(/^<p> .* return t <fb> in: \[ 5 \] want 0 got 5 <reflect>$/);
});

test('shuffled reflections distinguish policies that follow reflections from policies that do not', async () => {
  const [refine, reflexion, shuffled] = (await runScript(compliant).reports) ?? [];
  expect(reflexion.solved[0]).toEqual(refine.solved[0]);
  expect(reflexion.solved[2].mean).toBeGreaterThan(0.5);
  expect(reflexion.reflections).toMatchObject({ written: { mean: 1 }, followed: { mean: 1 }, editShare: { mean: 1 } });
  // This policy follows the reflection before its program, also if another search wrote the reflection.
  expect(shuffled.reflections).toMatchObject({ followed: { mean: 1 } });
  expect(shuffled.solved[2].mean).toBeGreaterThan(0.3);

  const deaf: Script = (prompt, draw) => {
    if (!prompt.includes('<fb>')) return NEARLY;
    const right = draw < 50;
    if (prompt.endsWith('<reflect>')) return right ? `${FIX} <program> ${RIGHT}` : `same <program> ${NEARLY}`;
    return right ? RIGHT : NEARLY;
  };
  const [same, permuted] = (await runScript(deaf, { scaffolds: ['reflexion', 'shuffled-reflexion'] }).reports) ?? [];
  expect(same.reflections?.followed.mean).toBe(1);
  expect(permuted.reflections?.followed.mean).toBeLessThan(0.8);
});

test('a program without a readable reflection counts, and lowers the share of written reflections', async () => {
  const script: Script = (prompt) => {
    if (!prompt.includes('<fb>')) return ZERO;
    return prompt.endsWith('<reflect>') ? `want want <program> ${VISIBLE}` : NEARLY;
  };
  const [reflexion] = (await runScript(script, { scaffolds: ['reflexion'] }).reports) ?? [];
  expect([reflexion.programCount.mean, reflexion.reflections]).toEqual([2, undefined]);
  const either: Script = (prompt, draw) => {
    if (!prompt.includes('<fb>')) return NEARLY;
    return draw < 50 ? RIGHT : `${FIX} <program> ${NEARLY}`;
  };
  const [some] = (await runScript(either, { scaffolds: ['reflexion'] }).reports) ?? [];
  expect(some.reflections?.written.mean).toBeGreaterThan(0.2);
  expect(some.reflections?.written.mean).toBeLessThan(0.8);
  expect(some.reflections).toMatchObject({ followed: { mean: 0 }, editShare: { mean: 0 } });
});

test('a program that contains a second program is invalid, also in a refinement', async () => {
  const script: Script = (prompt) =>
    prompt.endsWith('<reflect>') ? `${FIX} <program> return 0 <program> ${RIGHT}` : NEARLY;
  const { promptLog, reports } = runScript(script, { samples: 1, runs: 1, scaffolds: ['reflexion'] });
  const [reflexion] = (await reports) ?? [];
  expect([reflexion.solved[2].mean, reflexion.programCount.mean]).toEqual([0, 3]);
  // The next prompt contains the whole text of the turn and its feedback.
  expect(promptLog.some((prompt) => prompt.includes('return 0 <program> t = 0') && prompt.endsWith('<reflect>'))).toBe(
    true,
  );
});

test('the draws of Reflexion do not depend on the other scaffolds', async () => {
  const all = await runScript(compliant).reports;
  for (const [index, name] of PLAN.scaffolds.entries()) {
    expect(await runScript(compliant, { scaffolds: [name] }).reports).toEqual([all?.[index]]);
  }
  expect(all?.[1].runs[0]).not.toEqual(all?.[1].runs[1]);
});

test('Reflexion throws an error with the name of the setting in a world without reflections', async () => {
  const { sampler } = scripted(compliant);
  for (const name of ['reflexion', 'shuffled-reflexion'] as const) {
    await expect(evaluateScaffolds(sampler, { ...PLAN, scaffolds: [name] })).rejects.toThrow(
      `${name}: the policy of this world writes no reflections; use --reflection written`,
    );
  }
});

test('attempts without a scaffold request reflections, as in training', async () => {
  const { sampler, promptLog } = runScript(compliant, { scaffolds: [] });
  const { iterations } = await evaluateRepair(sampler, { ...PLAN, iterations: 3, feedback: 'true' });
  expect(iterations[2]).toBeGreaterThan(0.4);
  expect(promptLog.filter((prompt) => prompt.endsWith('<reflect>')).length).toBeGreaterThan(8);
});
