import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { trajectories } from '../../../../src/rollouts/forest.ts';
import { readGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const CASES = join(root, 'test/fixtures/field');
const EXPECTED = JSON.parse(readFileSync(join(CASES, 'expected.json'), 'utf8'));
const { folder } = temporaryFolder();

/** Imports a log of a case. */
async function imported(path: string, ...flags: readonly string[]) {
  const { code, out, err } = await turnwise(['import', ...flags, join(CASES, path)]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { groups: readGroups(out), text: out, err };
}

/** Computes the credit of groups. `advantages` has the shape [groups][turns]. */
async function credit(text: string, rule: string, ...flags: readonly string[]) {
  const file = join(folder, 'groups.jsonl');
  writeFileSync(file, text);
  const { code, out, err } = await turnwise(['credit', '--device', 'cpu', '--rule', rule, ...flags, file]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { advantages: lines.map(({ advantage }) => advantage as number[]), lines, err };
}

const turnsOf = (group: Group) => trajectories(group).map(({ length }) => length);
const outcomesOf = (group: Group) => trajectories(group).map((path) => group.turns[path[path.length - 1]].outcome);
/** Returns the advantage of the first turn of each rollout. */
const firsts = (group: Group, advantage: readonly number[]) => trajectories(group).map(([first]) => advantage[first]);

function expectClose(values: readonly (number | null)[], expected: readonly (number | null)[]): void {
  expect(values).toHaveLength(expected.length);
  for (const [at, value] of values.entries()) expect(value, `[${at}]`).toBeCloseTo(expected[at] ?? 0, 9);
}

describe('case 01: turn rewards in a column of verl', () => {
  const path = '01-verl-turn-scores/20.jsonl';

  test('case 01: the report names columns with turn rewards and the flag that reads them', async () => {
    const { groups, err } = await imported(path);
    expect(err).toContain('column turn_scores could hold rewards of turns: --turn-rewards turn_scores takes them');
    expect(err).toContain('--turn-rewards tool_rewards');
    expect(groups[0].turns.every(({ reward }) => reward === 0)).toBe(true);
  });

  test.each(['turn_scores', 'tool_rewards'])('case 01: turn rewards are read from the column %s', async (column) => {
    const { groups, text, err } = await imported(path, '--turn-rewards', column);
    expect(groups[0].turns.map(({ reward }) => reward)).toEqual(EXPECTED['01'].turn_rewards);
    expect(err).toContain('turn rewards add up to the reward in 0 of 3 rollouts');
    for (const rule of ['mt-grpo', 'grpo-or', 'grpo-mr']) {
      expectClose((await credit(text, rule)).advantages[0], EXPECTED['01'][rule]);
    }
  });

  test('case 01: a wrong number of turn rewards is rejected with the position and both numbers', async () => {
    const rows = readFileSync(join(CASES, path), 'utf8').replace('[-0.1, 0.0]', '[-0.1, 0.0, 1, 2]');
    const file = join(folder, '20.jsonl');
    writeFileSync(file, rows);
    await expectRejected(
      ['import', '--turn-rewards', 'turn_scores', file],
      'line 2, column "turn_scores": 4 numbers for 2 turns and 1 tool calls',
    );
  });
});

describe('case 02: text with tags of searches', () => {
  const path = '02-search-tags/5.jsonl';

  test.each([[[]], [['--cut', '</search>..<information>']]])('case 02: search tags cut text with %j', async (flags) => {
    const { groups, text, err } = await imported(path, ...flags);
    expect(turnsOf(groups[0])).toEqual(EXPECTED['02'].turns_per_rollout);
    expect(JSON.stringify(groups[0].turns.map((turn) => turn.text))).not.toContain('<information>');
    expect(JSON.stringify(groups[0].turns[0].observation)).toContain('Riverton lies on the Ald');
    if (flags.length === 0) expect(err).toContain('cut at </search> … <information> (3 times)');
    const { advantages } = await credit(text, 'grpo-or');
    expectClose(firsts(groups[0], advantages[0]), EXPECTED['02']['grpo-or_per_rollout']);
  });

  test('case 02: --cut none leaves the text uncut, with a warning', async () => {
    const { groups, err } = await imported(path, '--cut', 'none');
    expect(turnsOf(groups[0])).toEqual([1, 1, 1]);
    expect(err).toContain('3 rollouts have one turn each, but 3 times <search>');
  });
});

test('case 03: rows of single turns are joined to rollouts', async () => {
  const { groups, text, err } = await imported('03-rows-are-turns/3.jsonl');
  expect(groups).toHaveLength(1);
  expect([turnsOf(groups[0]).length, groups[0].turns.length]).toEqual([EXPECTED['03'].rollouts, EXPECTED['03'].turns]);
  expect(err).toContain('rollouts joined from rows that are turns');
  const { advantages } = await credit(text, 'grpo-or');
  expectClose(firsts(groups[0], advantages[0]), EXPECTED['03']['grpo-or_per_rollout']);
});

test('case 03: rows of one uid with different inputs are reported', async () => {
  const rows = ['one', 'two'].map((input) => JSON.stringify({ input, output: 'a', score: 1, step: 3, uid: 'task-a' }));
  writeFileSync(join(folder, '3.jsonl'), rows.join('\n'));
  const { err } = await turnwise(['import', join(folder, '3.jsonl')]);
  expect(err).toContain('rows of group task-a have 2 different inputs');
});

test('case 04: the Murphy rules use outcomes if the log has no turn rewards', async () => {
  const { groups, text } = await imported('04-outcome-only/10.jsonl');
  expect(turnsOf(groups[0])).toEqual(EXPECTED['04'].turns_per_rollout);
  const { advantages, lines } = await credit(text, 'murphy-mars');
  expectClose(lines[0].credited, EXPECTED['04']['murphy-mars_credited']);
  expectClose(advantages[0], EXPECTED['04']['murphy-mars']);
});

test('case 04: a rule that assigns advantage 0 despite different outcomes is reported', async () => {
  const chains = {
    id: 'a',
    turns: [
      { parent: -1, reward: 0.5, outcome: 1 },
      { parent: -1, reward: 0.5, outcome: 0 },
    ],
  };
  const { err } = await credit(`${JSON.stringify(chains)}\n`, 'murphy-mars');
  expect(err).toContain('warning: murphy-mars gives 0 to every turn of the group, although outcomes differ');
});

describe('case 05: turn rewards that add up to the reward', () => {
  const path = '05-turn-rewards-sum-to-the-reward/results.jsonl';

  test('case 05: turn rewards that add up to the reward are treated as its parts', async () => {
    const { groups, text, err } = await imported(path);
    expect(outcomesOf(groups[0])).toEqual(EXPECTED['05'].sums);
    expect(err).toContain('turn rewards add up to the reward in 4 of 4 rollouts: taken as its parts');
    expectClose(
      (await credit(text, 'grpo-mr', '--profile', 'dr-grpo')).advantages[0],
      EXPECTED['05']['grpo-mr_dr_right'],
    );
    const steps = await credit(text, 'grpo-step', '--set', 'gamma=1', '--profile', 'dr-grpo');
    expectClose(steps.lines[0].return, EXPECTED['05']['grpo-step_returns_right']);
    expectClose(steps.advantages[0], EXPECTED['05']['grpo-step_gamma1_dr_right']);
  });

  test('case 05: --outcome apart adds the turn rewards to the reward', async () => {
    const { text } = await imported(path, '--outcome', 'apart');
    expectClose(
      (await credit(text, 'grpo-mr', '--profile', 'dr-grpo')).advantages[0],
      EXPECTED['05']['grpo-mr_dr_today'],
    );
  });
});

test('case 06: steps are read from folder names', async () => {
  const { groups, text } = await imported('06-step-in-the-path/rollouts');
  expect(groups.map(({ step }) => step)).toEqual(EXPECTED['06'].steps);
  const { advantages } = await credit(text, 'grpo-or');
  for (const [at, advantage] of advantages.entries()) expectClose(advantage, EXPECTED['06']['grpo-or'][at]);
});

test('case 07: a JSON array of trials is imported as one group', async () => {
  const { groups, text } = await imported('07-json-array-of-trials/shop.json');
  expect(groups).toHaveLength(1);
  expect(turnsOf(groups[0])).toEqual(EXPECTED['07'].turns_per_rollout);
  expect(outcomesOf(groups[0])).toEqual(EXPECTED['07'].outcomes);
  expect(groups[0].turns[0]).toMatchObject({ state: 'start', action: 'get_order(order=7)' });
  const { advantages } = await credit(text, 'grpo-or');
  expectClose(firsts(groups[0], advantages[0]), EXPECTED['07']['grpo-or_per_rollout']);
});

test('case 08: rollouts in the format of the Responses API are imported', async () => {
  const { groups, text } = await imported('08-responses-api-rollouts/rollouts.jsonl');
  const [group] = groups;
  const paths = trajectories(group);
  const byIndex = <Value>(values: readonly Value[]) =>
    paths
      .map((path, at) => [group.turns[path[path.length - 1]]._ng_rollout_index as number, values[at]] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);
  expect(byIndex(turnsOf(group))).toEqual(EXPECTED['08'].turns_per_rollout_by_rollout_index);
  expect(byIndex(outcomesOf(group))).toEqual(EXPECTED['08'].outcomes_by_rollout_index);
  const { advantages } = await credit(text, 'grpo-or');
  expectClose(byIndex(firsts(group, advantages[0])), EXPECTED['08']['grpo-or_by_rollout_index']);
});

test.each([...Object.entries(EXPECTED['09'].verdict), ['10', 'profile trl']])(
  'cases 09 and 10: reconcile names the constants of %s',
  async (name, scheme) => {
    const path = name === '10' ? '10-several-turns-one-advantage' : `09-which-constants-were-used/${name}`;
    const { code, out } = await turnwise(['reconcile', join(CASES, path)]);
    expect(code).toBe(0);
    const groups = name === '10' ? 1 : 2;
    expect(out.trim().split('\n')).toEqual([`${scheme}: ${groups} of ${groups} groups`]);
  },
);

test('case 09: reconcile reports the first rollout that no scheme explains', async () => {
  const rows = readFileSync(join(CASES, '09-which-constants-were-used/group/completions_00001.jsonl'), 'utf8');
  const file = join(folder, 'completions_00001.jsonl');
  writeFileSync(file, rows.replace('1.4997000599880024', '1.6'));
  const { code, out } = await turnwise(['reconcile', file]);
  expect(code).toBe(1);
  expect(out).toContain('the nearest is profile trl: 1 of 2 groups');
  expect(out).toContain('rollout 1: logged 1.6, expected 1.4997000599880024');
});
