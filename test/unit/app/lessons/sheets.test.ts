import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAsk } from '../../../../src/app/lessons/sheets/checkAsk.ts';
import type { Ask, NumberAsk, PayAsk, PickAsk } from '../../../../src/app/lessons/sheets/sheet.ts';
import { sheetOf } from '../../../../src/app/lessons/sheets/sheetOf.ts';
import { worthOf } from '../../../../src/app/lessons/sheets/worthSheet.ts';
import { ANY_GROUP } from '../../../../src/lessons/groupCondition.ts';
import type { LessonRun } from '../../../../src/lessons/lesson.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import type { LessonSheet } from '../../../../src/lessons/sheets.ts';
import { root } from '../../../files.ts';
import { IS_LONG } from '../../../isLong.ts';
import { lessonGroups } from '../../lessons/lessonGroups.ts';
import { groupOf } from '../appFixtures.ts';

const sheet = (others: Partial<LessonSheet>): LessonSheet => ({
  ...{
    kind: 'silent',
    run: 'end',
    rule: 'grpo-or',
    goal: 'once',
    begin: {},
    group: ANY_GROUP,
    text: '',
    hint: '',
    ...others,
  },
});
/** Returns the sheet of a kind from the groups of a preset. */
const made = async (preset: string, others: Partial<LessonSheet>, controls: LessonRun['controls'] = {}) => {
  const { groups, configuration } = await lessonGroups({ preset, controls, schedule: [] });
  const found = sheetOf(sheet(others), groups, configuration.controls);
  if (!found) throw new Error(`${preset} makes no sheet`);
  return found;
};
const numbers = (asks: readonly Ask[]) => asks.map((ask) => (ask as NumberAsk).answer);
const form = (entries: readonly (readonly [string, string])[]) => {
  const data = new FormData();
  for (const [name, value] of entries) data.append(name, value);
  return data;
};

test('a sheet of a lesson is made from groups of its run, with some cells to mark and some to leave', async () => {
  const sheets = readLessons(join(root, 'lessons'), 'en').flatMap(({ name, runs, sheets }) =>
    sheets.map((one) => ({ name, one, run: runs.find((run) => run.name === one.run) ?? runs[0] })),
  );
  expect(sheets.length).toBeGreaterThanOrEqual(6);
  for (const { name, one, run } of IS_LONG ? sheets : sheets.slice(0, 1)) {
    const { asks, rows } = await made(run.preset, one, run.controls);
    expect(rows.length, name).toBeGreaterThan(2);
    for (const ask of asks) {
      expect(ask.worked.join(' '), name).not.toMatch(/NaN|undefined/);
      if (ask.kind === 'number') expect(ask.answer, name).not.toBeNaN();
      if (ask.kind === 'pick') expect(new Set(ask.options.map(({ right }) => right)).size, name).toBe(2);
    }
  }
});

describe('a meeting', () => {
  // The table alone has to give what is asked: Q the mean of the marked rows, V the mean of all with the prior.
  test('is worked out from its own table', async () => {
    const { rows, asks, given } = await made('rtmc', { kind: 'meeting' });
    const paid = (some: typeof rows) => some.map(({ cells }) => Number((cells[3] ?? '').replace('−', '-')));
    const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
    const q = mean(paid(rows.filter(({ asked }) => asked)));
    const [share = Number.NaN, kappa = Number.NaN] = (given[0]?.match(/[\d.]+\d|\d/g) ?? []).map(Number);
    const all = paid(rows);
    const v = (mean(all) * all.length + kappa * share) / (all.length + kappa);
    const [askedQ, askedV, askedA] = numbers(asks);
    expect(askedQ).toBeCloseTo(q, 2);
    expect(askedV).toBeCloseTo(v, 2);
    expect(askedA).toBeCloseTo(q - v, 2);
  });
});

test('a step is silent if all rollouts that came by took one action', async () => {
  const { rows, asks } = await made('rtmc-unsmoothed', { kind: 'alone' });
  const { options } = asks[0] as PickAsk;
  rows.forEach(({ cells: [, , , ways] }, step) => {
    if (ways === '1') expect(options[step]?.right, `step ${step + 1}`).toBe(true);
  });
  expect(options.filter(({ right }) => right).length).toBeGreaterThan(0);
  expect(options.filter(({ right }) => !right).length).toBeGreaterThan(1);
});

describe('the worth of a turn', () => {
  // Four tries: key and right door 1, key and wrong door 0, nothing and right door .2 twice. V = 1.4 / 4 ... / 4 = .35;
  // behind the key .5, so turn 1 is worth +.15 and its doors +.5 and −.5; turn 1 without the key −.15.
  const episodes = [
    { first: 'key', second: 'right', outcome: 1 },
    { first: 'key', second: 'wrong', outcome: 0 },
    { first: 'idle', second: 'right', outcome: 0.2 },
    { first: 'idle', second: 'right', outcome: 0.2 },
  ];

  test.each([
    [0, 0.15, 0.5],
    [1, 0.15, -0.5],
    [2, -0.15, 0],
  ])('of try %i is %f and %f', (index, first, second) => {
    const worth = worthOf(episodes, episodes[index] ?? { first: '', second: '', outcome: 0 });
    expect(worth.value).toBeCloseTo(0.35, 12);
    expect(worth.first).toBeCloseTo(first, 12);
    expect(worth.second).toBeCloseTo(second, 12);
  });

  test('adds up to what came above the start', async () => {
    const { rows, asks } = await made('bandit-outcome', { kind: 'worth' });
    const [value = Number.NaN, first = Number.NaN, second = Number.NaN] = numbers(asks);
    const outcome = Number(rows.find(({ asked }) => asked)?.cells[3]);
    expect(first + second).toBeCloseTo(outcome - value, 9);
  });
});

describe('silent groups', () => {
  const tied = groupOf({ step: 3 });
  const same = {
    ...tied,
    forest: {
      ...tied.forest,
      turns: tied.forest.turns.map((turn) => ('outcome' in turn ? { ...turn, outcome: 1 } : turn)),
    },
    rollouts: tied.rollouts.map((rollout) => ({ ...rollout, outcome: 1 })),
  };

  test('are those whose tries were all paid alike', () => {
    const found = sheetOf(sheet({}), [same, groupOf({ step: 9 })], {});
    const ask = found?.asks[0] as PickAsk;
    expect(ask.options.map(({ right }) => right)).toEqual([true, false]);
    expect(checkAsk(ask, form([['picked', '0']]))).toMatchObject({ check: 'right', given: ask.options[0]?.label });
    expect(checkAsk(ask, form([['picked', '1']]))).toMatchObject({ check: 'wrong', text: '2 marks are wrong.' });
  });

  test('are not asked for where there are none, or nothing else', () => {
    expect(sheetOf(sheet({}), [groupOf()], {})).toBeUndefined();
    expect(sheetOf(sheet({}), [same], {})).toBeUndefined();
    // Turn 1 is paid .5 and −.2, so MT-GRPO speaks where outcomes tie.
    expect(sheetOf(sheet({ rule: 'mt-grpo' }), [same, groupOf()], {})).toBeUndefined();
  });
});

describe('pay', () => {
  const begin = { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0 };
  const ask = async (goal: 'further' | 'once') =>
    (await made('over-searching', { kind: 'pay', goal, begin })).asks[0] as PayAsk;
  const given = (searchCost: string) =>
    form([
      ['rewardRetrieved', '0.3'],
      ['rewardFormat', '0.1'],
      ['searchCost', searchCost],
    ]);

  // A second search that finds the answer earns .4 − 2 λ, a first one .4 − λ: between .2 and .4 only the first one pays.
  test.each([
    ['0', true, false],
    ['0,25', false, true],
    ['0.39', false, true],
    ['0.5', false, false],
  ])('of a search with a cost of %s', async (cost, further, once) => {
    expect(checkAsk(await ask('further'), given(cost)).check === 'right').toBe(further);
    expect(checkAsk(await ask('once'), given(cost))).toMatchObject({
      check: once ? 'right' : 'wrong',
      given: expect.stringMatching(new RegExp(`Search cost ${cost}$`)),
    });
  });

  test('refuses what is no amount', async () => {
    expect(checkAsk(await ask('once'), given('much')).text).toMatch(/^Search cost has to be a number from 0 to 1/);
    expect(checkAsk(await ask('once'), given('')).check).toBe('empty');
  });

  test('shows amounts that do it', async () => {
    for (const goal of ['further', 'once'] as const) {
      const { worked, check } = await ask(goal);
      const amounts = worked[0]?.match(/[\d.]*\d/g)?.map(Number) ?? [];
      const [rewardRetrieved = 9, rewardFormat = 9, searchCost = 9] = amounts;
      expect(check({ rewardRetrieved, rewardFormat, searchCost }).met).toBe(true);
    }
  });
});
