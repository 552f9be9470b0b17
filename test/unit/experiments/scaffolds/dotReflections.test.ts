import { describe, expect, test } from 'vitest';
import { changeBetween, reflectionTokens } from '../../../../src/environments/repair/reflection.ts';
import { tokenize } from '../../../../src/environments/repair/source.ts';
import { evaluateScaffolds, type ScaffoldPlan } from '../../../../src/experiments/scaffolds/evaluateScaffolds.ts';
import { experienceOf, retrieveReflection } from '../../../../src/experiments/scaffolds/runScaffold.ts';
import { type AttemptedProgram, dotReflections, FRESH } from '../../../../src/experiments/scaffolds/scaffold.ts';
import { SUM_TASK } from '../../environments/repair/repairWorld.ts';
import { NEARLY, RIGHT, type Script, scripted, ZERO } from '../evaluation/scriptedPolicy.ts';

const PLAN: ScaffoldPlan = {
  ...{ split: 'held-out', samples: 8, budget: 8, children: 2, verifier: false, runs: 1 },
  scaffolds: ['dot-reflections', 'dot-bank'],
  sampling: { temperature: 1, topP: 1, topK: 0 },
};

/** Creates attempted programs from parent, share of visible tests, program and reflection. */
function tree(...rows: readonly (readonly [number, number, string, string?])[]): readonly AttemptedProgram[] {
  return rows.map(([parent, visible, program, reflection]) => ({
    ...{ parent, visible, program },
    ...(reflection === undefined ? {} : { reflection }),
  }));
}

describe('DoT with reflections', () => {
  const levels = dotReflections(2);

  test('a repeated reflection on the same program does not count, regardless of the next program', () => {
    const first = tree([FRESH, 0.25, 'a'], [0, 0.5, 'b', 'x'], [0, 0.25, 'c', 'x']);
    expect(levels.next(first, 0)).toEqual([0]);
    // A different reflection counts, also if its program was already attempted.
    const second = [...first, ...tree([0, 0.5, 'b', 'y'])];
    expect([0.4, 0.6].map((draw) => levels.next(second, draw))).toEqual([
      [1, 1],
      [3, 3],
    ]);
    // b is in the tree twice. The reflection x on b is new; the reflection y on b is written twice.
    const third = [...second, ...tree([3, 0.25, 'd', 'x'], [3, 0.25, 'e', 'y'])];
    expect(levels.next(third, 0)).toEqual([4, 4]);
    const again = [...third, ...tree([1, 0.25, 'f', 'y'], [1, 0.5, 'g', 'z'])];
    expect(levels.next(again, 0)).toEqual([1]);
  });

  test('an empty reflection does not count, and a level without reflections is followed by new programs', () => {
    const nothing = [0, 0.5, 'b', ''] as const;
    expect(levels.next(tree([FRESH, 0.25, 'a'], nothing), 0)).toEqual([0, 0]);
    const stuck = tree([FRESH, 0.25, 'a'], nothing, nothing, nothing, nothing);
    expect(levels.next(stuck, 0)).toEqual([FRESH, FRESH]);
    expect(levels.next([...stuck, ...tree([FRESH, 0.5, 'h'], [FRESH, 0.5, 'a'])], 0)).toEqual([FRESH]);
    expect(levels.next([...stuck, ...tree([0, 1, 'r', 'x'])], 0)).toEqual([]);
  });
});

describe('the bank', () => {
  const programs = [tokenize(NEARLY), tokenize(RIGHT)];
  const solved = { task: SUM_TASK, attempts: tree([FRESH, 0.5, 'a'], [0, 1, 'b', 'what was said']), programs };

  test('the bank stores the change of a refinement that passes, and stores nothing for other searches', () => {
    const [{ task, tokens, reflection }] = experienceOf(solved);
    expect([task, tokens]).toEqual([SUM_TASK.id, [...SUM_TASK.prompt, ...programs[0]]]);
    // The actual change, not the announced change.
    expect(reflection).toEqual(reflectionTokens(changeBetween(programs[0], programs[1])));
    expect(experienceOf({ ...solved, attempts: tree([FRESH, 0.5, 'a'], [0, 0.75, 'b', 'x']) })).toEqual([]);
    expect(experienceOf({ ...solved, attempts: tree([FRESH, 1, 'a']) })).toEqual([]);
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

const FIX = 'condition 4 >';
/** Policy that repairs the program after a reflection with the fix, but seldom writes that reflection. */
const seldom: Script = (prompt, draw) => {
  if (!prompt.includes('<fb>')) return NEARLY;
  if (prompt.endsWith(`${FIX} <program>`)) return RIGHT;
  if (!prompt.endsWith('<reflect>')) return NEARLY;
  return draw < 10 ? `${FIX} <program> ${RIGHT}` : `constant 2 ${draw % 3} <program> ${NEARLY}`;
};
const runScript = async (script: Script, plan: Partial<ScaffoldPlan> = {}) => {
  const { sampler, promptLog } = scripted(script, 16, undefined, 'written');
  return { promptLog, reports: (await evaluateScaffolds(sampler, { ...PLAN, ...plan })) ?? [] };
};

test('first searches with a bank equal searches without; later prompts show solutions of other tasks', async () => {
  const { reports, promptLog } = await runScript(seldom);
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
  const { promptLog } = await runScript(seldom, { scaffolds: ['dot-bank'], tasks: 1 });
  expect(promptLog.some((prompt) => prompt.endsWith('<program>'))).toBe(false);
});

test('the report of DoT with reflections contains the share of new reflections', async () => {
  const same: Script = (prompt) => (prompt.includes('<fb>') ? `constant 2 1 <program> ${ZERO}` : NEARLY);
  const [{ newReflections, programCount }] = (await runScript(same, { scaffolds: ['dot-reflections'], budget: 5 }))
    .reports;
  // Four reflections on the same program, of which only the first is new.
  expect([newReflections?.mean, programCount.mean]).toEqual([0.25, 5]);
});

test('DoT with reflections throws an error in a world without reflections', async () => {
  const { sampler } = scripted(seldom);
  for (const name of ['dot-reflections', 'dot-bank'] as const) {
    await expect(evaluateScaffolds(sampler, { ...PLAN, scaffolds: [name] })).rejects.toThrow(
      `${name}: the policy of this world writes no reflections`,
    );
  }
});
