import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type SyntheticRollout, syntheticGroup } from '../../diagnosis/synthetic.ts';
import { temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder } = temporaryFolder();

/** Returns a rollout of some turns with an outcome, and one advantage for the rollout or one per turn. */
function rollout(outcome: number, advantage: number | readonly number[], turns = 1): SyntheticRollout {
  const values = typeof advantage === 'number' ? [...new Array(turns - 1).fill(undefined), advantage] : advantage;
  return {
    turns: values.map((value) => ({ text: 'a', ...(value === undefined ? {} : { advantage: value }) })),
    last: { outcome },
  };
}

/** Reconciles groups of one step. */
async function reconcile(groups: readonly (readonly SyntheticRollout[])[], leftOut?: readonly object[]) {
  const file = join(folder, 'groups.jsonl');
  const fields = leftOut ? { leftOut } : {};
  const lines = groups.map((rollouts, at) => JSON.stringify(syntheticGroup(`g${at}`, 1, rollouts, fields)));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return turnwise(['reconcile', file]);
}

test('reconcile detects slime #2302: a rollout of 3 samples counts three times (baseline .75, not .5)', async () => {
  const { code, out } = await reconcile([[rollout(1, 0.25, 3), rollout(0, -0.75)]]);
  expect(out).toContain('rows as rollouts, profile dr-grpo: 1 of 1 groups');
  expect(out).toContain('known error: a rollout with several rows counts once for each row');
  expect(code).toBe(1);
});

test('reconcile detects verl-agent #138: long episodes have more weight in mean and deviation', async () => {
  // Rows 1, 1, 1, 0: mean .75, sample deviation .5. Advantages .25 / .5001 and -.75 / .5001.
  const { out } = await reconcile([[rollout(1, 0.49990002, 3), rollout(0, -1.49970006)]]);
  expect(out).toContain('rows as rollouts, profile trl: 1 of 1 groups');
});

test('reconcile detects OpenRLHF #1239: a rollout without tokens shifts the mean (-49.5 instead of 0)', async () => {
  const { code, out } = await reconcile([[rollout(1, -49.5)]], [{ outcome: 100, turns: [] }]);
  expect(out).toContain('rollouts without a turn in the mean, profile dr-grpo: 1 of 1 groups');
  expect(code).toBe(1);
});

test('reconcile detects that TRL counts rollouts without a reward as 0 in the mean', async () => {
  // Outcomes 1, 0 and one missing outcome: mean 1/3.
  const { out } = await reconcile([[rollout(1, 2 / 3), rollout(0, -1 / 3)]], [{ turns: [{ text: 'a' }] }]);
  expect(out).toContain('rollouts without a reward count as 0, profile dr-grpo: 1 of 1 groups');
});

test('reconcile detects verl #6348: groups with close rewards have advantages near 0 (.005, not .62)', async () => {
  // Deviation 7.1e-6: .5e-5 / sqrt(5e-11 + 1e-6) = .005; with epsilon outside the root .707 * 7.1 / 8.1 = .62.
  const value = 0.5e-5 / Math.sqrt(0.5e-10 + 1e-6);
  const { code, out } = await reconcile([[rollout(1e-5, value), rollout(0, -value)]]);
  expect(value).toBeCloseTo(0.005, 5);
  expect(out).toContain('epsilon under the root: 1 of 1 groups');
  expect(out).toContain('verl #6348');
  expect(code).toBe(1);
});

test('reconcile detects verl #6376: turns before an observation have the return 0', async () => {
  const { code, out } = await reconcile([[rollout(1, [0, 0, 1]), rollout(0.5, [0, 0.5])]]);
  expect(out).toContain('last turn only, the reward itself: 1 of 1 groups');
  expect(out).toContain('verl #6376');
  expect(code).toBe(1);
});

test('reconcile detects that all prompts of a step are one group', async () => {
  const { code, out } = await reconcile([
    [rollout(1, 0.25), rollout(1, 0.25)],
    [rollout(1, 0.25), rollout(0, -0.75)],
  ]);
  expect(out).toContain('all prompts as one group, profile dr-grpo: 2 of 2 groups');
  expect(code).toBe(1);
});

test('reconcile reports groups of one rollout (rLLM #916)', async () => {
  const { code, out } = await reconcile([[rollout(1, 0)], [rollout(0, 0)]]);
  expect(out).toContain(
    '2 groups hold one rollout: without a comparison, trainers use 0 or the reward itself (rLLM #916)',
  );
  expect(code).toBe(0);
});

test('reconcile names a turn-level rule if the log has one advantage per turn', async () => {
  // Turn rewards 1 and 0, outcomes equal: MT-GRPO with alpha 1 gives the first turns +-.707106 and the last turns 0.
  const turns = (reward: number, advantage: number): SyntheticRollout => ({
    turns: [
      { text: 'a', reward, advantage },
      { text: 'b', advantage: 0 },
    ],
    last: { outcome: 1 },
  });
  const { code, out } = await reconcile([[turns(1, 0.7071057811879616), turns(0, -0.7071057811879616)]]);
  expect(out).toContain('mt-grpo, profile turnwise: 1 of 1 groups');
  expect(out).not.toContain('grpo-or');
  expect(code).toBe(0);
});

test('reconcile reports a turn whose tokens have different advantages', async () => {
  const tokens: SyntheticRollout = { turns: [{ text: 'a', advantages: [0.5, 0.4] }], last: { outcome: 1 } };
  const { out } = await reconcile([[tokens, rollout(0, -0.5)]]);
  expect(out).toContain('group g0, rollout 1, turn 1: its tokens have different advantages');
});

test.each([
  ['the sign is reversed', [-0.7, 0.2, 0.2, 0.3]],
  ['the same numbers in another order', [-0.3, 0.7, -0.2, -0.2]],
  ['only this rollout differs', [0.7, -0.2, -0.2, -0.9]],
  ['all numbers differ by the factor 3.000', [2.1, -0.6, -0.6, -0.9]],
  ['all numbers differ by 0.1000: the mean contains other rollouts', [0.8, -0.1, -0.1, -0.2]],
  ['all logged advantages of the group are 0', [0, 0, 0, 0]],
])('if no scheme agrees, reconcile reports the first number and a likely cause: %s', async (cause, logged) => {
  // Centred outcomes: .7, -.2, -.2, -.3. The first group agrees only with dr-grpo, so this profile is the nearest.
  const outcomes = [1, 0.1, 0.1, 0];
  const centred = [0.7, -0.2, -0.2, -0.3];
  const group = (values: readonly number[]) => outcomes.map((outcome, at) => rollout(outcome, values[at]));
  const { code, out } = await reconcile([group(centred), group(logged)]);
  expect(out).toContain('no known scheme; the nearest is profile dr-grpo: 1 of 2 groups');
  expect(out).toMatch(/group g1, rollout \d: logged/);
  expect(out).toContain(`likely cause: ${cause}`);
  expect(code).toBe(1);
});
