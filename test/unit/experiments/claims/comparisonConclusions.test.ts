import { expect, test } from 'vitest';
import { conclusionsOf } from '../../../../src/experiments/claims/comparisonConclusions.ts';
import type { ArmRun, Findings } from '../../../../src/experiments/compare/findings.ts';
import { EVALUATION_NAMES } from '../../../../src/training/data/controls.ts';
import { experimentOf, searchRun } from '../../cli/lab/fakeFindings.ts';

const shortcut = experimentOf('t1');
const runsOf = (name: string, tool: number, seeds: number) =>
  Array.from({ length: seeds }, (_, seed) =>
    searchRun(shortcut, name, seed + 1, [tool * (1 + (seed % 3) / 1e3), 0.9, 0.03]),
  );
const conclude = (runs: readonly ArmRun[], plan: object = {}, base: Findings['base'] = []) =>
  conclusionsOf({ plan: { ...shortcut.plan, ...plan }, base, runs }, shortcut.arms);
const about = (start: string, ...input: Parameters<typeof conclude>) =>
  conclude(...input).find(({ statement }) => statement.startsWith(start));
const compared = (seeds: number) => [...runsOf('mt-grpo', 0.9, seeds), ...runsOf('grpo-mr', 0.1, seeds)];
const MORE = 'Turn-level rewards: MT-GRPO uses the tool more than GRPO-MR';

test('conclusions of a comparison use the tests of the Lab, on all seeds of the comparison', () => {
  expect(about(MORE, compared(3))).toEqual({
    statement: MORE,
    status: 'holds',
    finding: '+80.1 points [+79.9, +80.3], 3 seeds',
  });
});

test('counts are tested exactly: five of five seeds are open, and ten of ten hold', () => {
  const shortcutText = 'Turn-level rewards: GRPO-OR takes the shortcut';
  expect(about(shortcutText, runsOf('grpo-or', 0.01, 5))).toMatchObject({
    ...{ status: 'open', finding: '5 of 5 seeds (95 % interval .48 to 1.00)' },
    reason: expect.stringContaining('more seeds are needed'),
  });
  expect(about(shortcutText, runsOf('grpo-or', 0.01, 10))?.status).toBe('holds');
});

test('a conclusion is open with one seed and with fewer updates than its experiment', () => {
  expect(about(MORE, compared(1))).toMatchObject({ status: 'open', reason: 'one seed is not enough' });
  expect(about(MORE, compared(3), { steps: 60 })).toMatchObject({
    ...{ status: 'open', reason: 'the claim is about 120 updates' },
  });
});

test('a comparison has conclusions only about its own world and requested arms', () => {
  const ofShortcut = 'Turn-level rewards: GRPO-OR takes the shortcut';
  const openWorld = { settings: experimentOf('t1', 1).plan.settings };
  expect(about(ofShortcut, runsOf('grpo-or', 0.01, 3))).toBeDefined();
  expect(about(ofShortcut, runsOf('grpo-or', 0.01, 3), openWorld)).toBeUndefined();
  expect(conclude(runsOf('mt-grpo', 0.9, 3)).filter(({ statement }) => statement.includes('GRPO-MR'))).toEqual([]);
  const findings = { plan: shortcut.plan, base: [], runs: compared(3) };
  expect(conclusionsOf(findings, [])).toEqual([]);
});

test('with other controls, a difference of two arms is tested, and a test of one arm is open', () => {
  const { controls } = shortcut.plan;
  const plan = { controls: { ...controls, learningRate: 7e-4 } };
  expect(about(MORE, compared(3), plan)).toEqual(about(MORE, compared(3)));
  expect(about('Turn-level rewards: GRPO-OR takes the shortcut', runsOf('grpo-or', 0.01, 10), plan)).toMatchObject({
    ...{ status: 'open', reason: 'the claims are about the standard run, and learningRate is not standard here' },
  });
  const measuring = { controls: { ...controls, [EVALUATION_NAMES[0]]: 'off' } };
  expect(about('Turn-level rewards: GRPO-OR takes the shortcut', runsOf('grpo-or', 0.01, 10), measuring)?.status).toBe(
    'holds',
  );
});

test('statements of several experiments occur once', () => {
  const statements = conclude(compared(3)).map(({ statement }) => statement);
  expect(new Set(statements).size).toBe(statements.length);
});

test('of equal statements, the one that the comparison can decide is reported', () => {
  // The first experiment of R1 has the same statements for 80 updates and the default learning rate.
  const { plan, arms } = experimentOf('r1', 1);
  const runs = ['rtmc', 'grpo-step'].flatMap((name, index) =>
    [1, 2, 3].map((seed): ArmRun => {
      const arm = arms.find((candidate) => candidate.name === name) as ArmRun['arm'];
      return { arm, seed, digest: 'd', heldOut: { solved: 0.8 - 0.4 * index + seed / 1e3 }, series: {} };
    }),
  );
  const conclusions = conclusionsOf({ plan, base: [], runs }, arms);
  const againstStep = conclusions.filter(({ statement }) => statement.includes('GRPO-Step (held-out pass@1)'));
  expect(againstStep.map(({ reason }) => reason ?? 'decided')).not.toContain('the claim is about 80 updates');
  expect(againstStep).toHaveLength(1);
});

test('the rates of a warm start are compared with their ranges, and are open with other settings', () => {
  const open = experimentOf('t1', 1);
  const rates = { toolUse: 0.57, retrieval: 0.41, answer: 0.11, format: 0.87 };
  const statuses = (measured: object, settings = open.plan.settings) =>
    conclusionsOf(
      {
        plan: { ...open.plan, settings },
        base: [{ seed: 1, digest: 'd', measured: { ...rates, ...measured } }],
        runs: [],
      },
      [],
    ).map(({ status }) => status);
  expect(statuses({})).toEqual(Array(4).fill('in the range'));
  for (const [rate, value] of Object.entries(rates)) {
    for (const off of [-0.06, 0.06])
      expect(statuses({ [rate]: value + off }).filter((status) => status === 'outside')).toHaveLength(1);
  }
  expect(statuses({}, { ...open.plan.settings, knownShare: 0.9 })).toEqual(Array(4).fill('open'));
});
