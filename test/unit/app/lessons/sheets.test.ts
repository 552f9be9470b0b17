import { describe, expect, test } from 'vitest';
import { checkSheetAnswer } from '../../../../src/app/lessons/sheets/checkQuestion.ts';
import type {
  ChoiceQuestion,
  NumberQuestion,
  RewardQuestion,
  SheetQuestion,
} from '../../../../src/app/lessons/sheets/sheet.ts';
import { sheetOf } from '../../../../src/app/lessons/sheets/sheetOf.ts';
import { computeStateValues } from '../../../../src/app/lessons/sheets/stateValueSheet.ts';
import { groupOf } from '../appFixtures.ts';
import { sheetWith, trainedSheet } from './trainedSheet.ts';

const numbers = (questions: readonly SheetQuestion[]) =>
  questions.map((question) => (question as NumberQuestion).answer);
const form = (entries: readonly (readonly [string, string])[]) => {
  const data = new FormData();
  for (const [name, value] of entries) data.append(name, value);
  return data;
};

describe('the value of a turn', () => {
  // Four attempts: key and right door 1, key and wrong door 0, nothing and right door .2 twice. V = 1.4 / 4 = .35.
  // After the key, V = .5. Turn 1 with the key has the advantage +.15, and its doors have +.5 and −.5. Turn 1 without
  // the key has −.15.
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
  ])('the turns of attempt %i have the true advantages %f and %f', (index, first, second) => {
    const turnValue = computeStateValues(episodes, episodes[index] ?? { first: '', second: '', outcome: 0 });
    expect(turnValue.value).toBeCloseTo(0.35, 12);
    expect(turnValue.first).toBeCloseTo(first, 12);
    expect(turnValue.second).toBeCloseTo(second, 12);
  });

  test('the advantages of both turns add up to the return minus the value of the start', async () => {
    const { rows, questions } = await trainedSheet('bandit-outcome', { kind: 'worth' });
    const [value = Number.NaN, first = Number.NaN, second = Number.NaN] = numbers(questions);
    const outcome = Number(rows.find(({ isQuestion }) => isQuestion)?.cells[3]);
    expect(first + second).toBeCloseTo(outcome - value, 9);
  });
});

describe('sheets on tied groups', () => {
  const tied = groupOf({ step: 3 });
  const same = {
    ...tied,
    forest: {
      ...tied.forest,
      turns: tied.forest.turns.map((turn) => ('outcome' in turn ? { ...turn, outcome: 1 } : turn)),
    },
    rollouts: tied.rollouts.map((rollout) => ({ ...rollout, outcome: 1 })),
  };

  test('a sheet on tied groups marks the groups whose attempts all have equal rewards', () => {
    const sheet = sheetOf(sheetWith({}), [same, groupOf({ step: 9 })], {});
    const question = sheet?.questions[0] as ChoiceQuestion;
    expect(question.options.map(({ right }) => right)).toEqual([true, false]);
    expect(checkSheetAnswer(question, form([['picked', '0']]))).toMatchObject({
      check: 'right',
      given: question.options[0]?.label,
    });
    expect(checkSheetAnswer(question, form([['picked', '1']]))).toMatchObject({
      check: 'wrong',
      text: '2 marks are wrong.',
    });
  });

  test('a sheet on tied groups does not exist if no group is tied or all groups are tied', () => {
    expect(sheetOf(sheetWith({}), [groupOf()], {})).toBeUndefined();
    expect(sheetOf(sheetWith({}), [same], {})).toBeUndefined();
    // The rewards of turn 1 are .5 and −.2, so MT-GRPO assigns advantages even if outcomes are equal.
    expect(sheetOf(sheetWith({ rule: 'mt-grpo' }), [same, groupOf()], {})).toBeUndefined();
  });
});

describe('sheets on reward amounts', () => {
  const begin = { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0 };
  const createQuestion = async (goal: 'further' | 'once') =>
    (await trainedSheet('over-searching', { kind: 'pay', goal, begin })).questions[0] as RewardQuestion;
  const given = (searchCost: string) =>
    form([
      ['rewardRetrieved', '0.3'],
      ['rewardFormat', '0.1'],
      ['searchCost', searchCost],
    ]);

  // A second search that finds the answer has the reward .4 − 2 λ, and a first one has .4 − λ. With λ between .2 and
  // .4, only the first one is profitable.
  test.each([
    ['0', true, false],
    ['0,25', false, true],
    ['0.39', false, true],
    ['0.5', false, false],
  ])('a search cost of %s is checked against both goals of a sheet on rewards', async (cost, further, once) => {
    expect(checkSheetAnswer(await createQuestion('further'), given(cost)).check === 'right').toBe(further);
    expect(checkSheetAnswer(await createQuestion('once'), given(cost))).toMatchObject({
      check: once ? 'right' : 'wrong',
      given: expect.stringMatching(new RegExp(`Search cost ${cost}$`)),
    });
  });

  test('a reward amount that is not a number is rejected', async () => {
    expect(checkSheetAnswer(await createQuestion('once'), given('much')).text).toMatch(
      /^Search cost has to be a number from 0 to 1/,
    );
    expect(checkSheetAnswer(await createQuestion('once'), given('')).check).toBe('empty');
  });

  test('the solution of a sheet on rewards has amounts that meet the goal', async () => {
    for (const goal of ['further', 'once'] as const) {
      const { derivation, check } = await createQuestion(goal);
      const amounts = derivation[0]?.match(/[\d.]*\d/g)?.map(Number) ?? [];
      const [rewardRetrieved = 9, rewardFormat = 9, searchCost = 9] = amounts;
      expect(check({ rewardRetrieved, rewardFormat, searchCost }).met).toBe(true);
    }
  });
});
