import { describe, expect, test } from 'vitest';
import { changeBetween, reflectionTokens } from '../../../../src/environments/repair/reflection.ts';
import { tokenize } from '../../../../src/environments/repair/source.ts';
import { evaluateRepair } from '../../../../src/experiments/evaluation/repairEvaluation.ts';
import { evaluateScaffolds, type ScaffoldPlan } from '../../../../src/experiments/scaffolds/evaluateScaffolds.ts';
import { experienceOf, retrieveReflection } from '../../../../src/experiments/scaffolds/runScaffold.ts';
import { type AttemptedProgram, FRESH } from '../../../../src/experiments/scaffolds/scaffold.ts';
import { SUM_TASK } from '../../environments/repair/repairWorld.ts';
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

test('the draws of Reflexion do not depend on the other scaffolds', async () => {
  const all = await runScript(compliant).reports;
  for (const [index, name] of PLAN.scaffolds.entries()) {
    expect(await runScript(compliant, { scaffolds: [name] }).reports).toEqual([all?.[index]]);
  }
  expect(all?.[1].runs[0]).not.toEqual(all?.[1].runs[1]);
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

test.each(['reflexion', 'shuffled-reflexion', 'dot-reflections', 'dot-bank'] as const)(
  'the scaffold "%s" throws an error in a world without reflections',
  async (name) => {
    const { sampler } = scripted(compliant);
    await expect(evaluateScaffolds(sampler, { ...PLAN, scaffolds: [name] })).rejects.toThrow(
      `${name}: the policy of this world writes no reflections; use --reflection written`,
    );
  },
);

test('attempts without a scaffold request reflections, as in training', async () => {
  const { sampler, promptLog } = runScript(compliant, { scaffolds: [] });
  const { iterations } = await evaluateRepair(sampler, { ...PLAN, iterations: 3, feedback: 'true' });
  expect(iterations[2]).toBeGreaterThan(0.4);
  expect(promptLog.filter((prompt) => prompt.endsWith('<reflect>')).length).toBeGreaterThan(8);
});

/** Creates attempted programs from parent, share of visible tests and program. */
const attemptsOf = (...rows: readonly (readonly [number, number, string])[]): readonly AttemptedProgram[] =>
  rows.map(([parent, visible, program]) => ({ parent, visible, program }));

describe('the bank', () => {
  const programs = [tokenize(NEARLY), tokenize(RIGHT)];
  const solved = { task: SUM_TASK, attempts: attemptsOf([FRESH, 0.5, 'a'], [0, 1, 'b']), programs };

  test('the bank stores the change of a refinement that passes, and stores nothing for other searches', () => {
    const [{ task, tokens, reflection }] = experienceOf(solved);
    expect([task, tokens]).toEqual([SUM_TASK.id, [...SUM_TASK.prompt, ...programs[0]]]);
    expect(reflection).toEqual(reflectionTokens(changeBetween(programs[0], programs[1])));
    expect(experienceOf({ ...solved, attempts: attemptsOf([FRESH, 0.5, 'a'], [0, 0.75, 'b']) })).toEqual([]);
    expect(experienceOf({ ...solved, attempts: attemptsOf([FRESH, 1, 'a']) })).toEqual([]);
  });

  test('the bank retrieves the nearest entry of other tasks by the cosine of token counts', () => {
    // Against (1, 1, 0): (1, 1, 1) has 2 / √6 = .82, (1, 0, 0) has 1 / √2 = .71, (4, 1, 0) has 5 / √34 = .86.
    const at = { task: { id: 9, prompt: [1] }, program: [2] };
    const bank = [
      { task: 1, tokens: [1, 2, 3], reflection: [10] },
      { task: 2, tokens: [1], reflection: [11] },
      { task: 3, tokens: [1, 1, 1, 1, 2], reflection: [12] },
      { task: 9, tokens: [1, 2], reflection: [13] },
    ];
    expect(retrieveReflection(bank, at, () => true)).toEqual([12]);
    expect(retrieveReflection(bank, at, ([token]) => token !== 12)).toEqual([10]);
    expect(retrieveReflection(bank, at, ([token]) => token === 11)).toEqual([11]);
    expect(retrieveReflection(bank, at, ([token]) => token === 13)).toBeUndefined();
    expect(retrieveReflection([], at, () => true)).toBeUndefined();
  });
});

/** Policy that repairs the program after a reflection with the fix, but seldom writes that reflection. */
const seldom: Script = (prompt, draw) => {
  if (!prompt.includes('<fb>')) return NEARLY;
  if (prompt.endsWith(`${FIX} <program>`)) return RIGHT;
  if (!prompt.endsWith('<reflect>')) return NEARLY;
  return draw < 10 ? `${FIX} <program> ${RIGHT}` : `constant 2 ${draw % 3} <program> ${NEARLY}`;
};
const runBank = async (script: Script, plan: Partial<ScaffoldPlan> = {}) => {
  const scaffolds = ['dot-reflections', 'dot-bank'] as const;
  const { promptLog, reports } = runScript(script, { budget: 8, runs: 1, scaffolds, ...plan });
  return { promptLog, reports: (await reports) ?? [] };
};

test('first searches with a bank equal searches without; later prompts show solutions of other tasks', async () => {
  const { reports, promptLog } = await runBank(seldom);
  const [without, bank] = reports;
  expect(bank.solved.slice(0, 3)).toEqual(without.solved.slice(0, 3));
  expect(bank.solved[3].mean).toBeGreaterThan(without.solved[3].mean);
  expect(without.cached).toBeUndefined();
  expect(bank.cached).toMatchObject({ written: { mean: 1 }, followed: { mean: 1 } });
  const prompts = promptLog.filter((prompt) => prompt.endsWith('<program>'));
  expect(prompts.length).toBeGreaterThan(0);
  for (const prompt of prompts) expect(prompt).toMatch(/got 5 <reflect> condition 4 > <program>$/);
});

test('a bank does not use searches of the same task', async () => {
  // With a single task, the bank has no entry of another task.
  const { promptLog } = await runBank(seldom, { scaffolds: ['dot-bank'], tasks: 1 });
  expect(promptLog.some((prompt) => prompt.endsWith('<program>'))).toBe(false);
});

test('the report of DoT with reflections contains the share of new reflections', async () => {
  const same: Script = (prompt) => (prompt.includes('<fb>') ? `constant 2 1 <program> ${ZERO}` : NEARLY);
  const [{ newReflections, programCount }] = (await runBank(same, { scaffolds: ['dot-reflections'], budget: 5 }))
    .reports;
  // Four reflections on the same program, of which only the first is new.
  expect([newReflections?.mean, programCount.mean]).toEqual([0.25, 5]);
});
