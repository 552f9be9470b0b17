import { describe, expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { openingGroup } from '../../../../src/app/picture/groupPicture.ts';
import { laneCredit } from '../../../../src/app/picture/laneCredit.ts';
import { creditBars, differingOutcomes, hasNoSignal, picturedGroup } from '../../../../src/app/picture/lanes.ts';
import { ENVIRONMENT_NAMES, ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { actionSignature, MARKUP } from '../../../../src/environments/search/vocabulary.ts';
import { hasEqualOutcomes } from '../../../../src/rollouts/flatGroups.ts';
import type { GroupView, RolloutView, TokenView } from '../../../../src/training/data/protocol.ts';
import { groupOf } from '../appFixtures.ts';
import { stepsView, treeView } from '../appLiveFixtures.ts';

const { bandit, search, repair, repo } = ENVIRONMENTS;
const controls = { ...defaultConfiguration('search').controls, epsilon: 0 };

const token = (text: string, kind: string, turn: number): TokenView => ({ text, kind, turn, logProb: -1, entropy: 1 });

/** Returns a rollout with the tokens of a first turn, a reply and an answer. */
function rollout(first: number, called: boolean, document: readonly string[]): RolloutView {
  const call = called ? [token('lives in', 'relation', 0), token('Mira', 'entity', 0)] : [token('<end>', 'markup', 0)];
  const kinds = ['entity', 'relation', 'value'];
  const reply = document.map((text, index) => token(text, kinds[index % 3] ?? '', -1));
  const answer = [token('<answer>', 'markup', 1), token('Oslo', 'value', 1)];
  const turn = (forestTurn: number) => ({
    ...{ forestTurn, summary: `turn ${forestTurn}`, reward: 0, components: {} },
    ...{ advantage: 0, outcomeOnlyAdvantage: 0 },
  });
  return {
    tokens: [token('<q>', 'markup', -1), ...call, ...reply, ...answer],
    turns: [turn(first), turn(first + 1)],
    outcome: 0,
  };
}

/**
 * Returns a group with a skipped search, a search for the requested fact, a malformed call and a search for another
 * fact.
 */
function searchGroup(): GroupView {
  const actions = ['skip', 'search r1 e0', 'malformed', 'search r2 e0'];
  const rewards = [0, 1, 0, 1];
  const outcomes = [1, 0, 1, 0];
  const documents = [[], ['Mira', 'lives in', 'Paris'], [], ['Noor', 'works in', 'Lima']];
  return groupOf({
    forest: {
      id: 'search',
      turns: actions.flatMap((action, index) => [
        { parent: -1, reward: rewards[index] ?? 0, action, state: 'r1 e0' },
        {
          ...{ parent: 2 * index, reward: 0, action: 'answer v0', state: 'reply' },
          ...{ outcome: outcomes[index] ?? 0, solved: outcomes[index] === 1 },
        },
      ]),
    },
    rollouts: actions.map((action, index) => rollout(2 * index, action.startsWith('search'), documents[index] ?? [])),
  });
}

describe('the picture of a group of searches', () => {
  const pictured = picturedGroup(searchGroup(), search);

  test('the picture of a group has executed searches first, and distinguishes skipped from malformed calls', () => {
    expect(pictured.lanes.map(({ number, isSolved, boxes: [first] }) => [number, isSolved, first?.kind])).toEqual([
      [2, false, 'action'],
      [4, false, 'action'],
      [3, true, 'malformed'],
      [1, true, 'skipped'],
    ]);
    const texts = pictured.lanes.map(({ boxes }) => boxes.map(({ text, reply }) => [text, reply]));
    expect(texts).toEqual([
      [
        ['search', 'Paris'],
        ['Oslo', undefined],
      ],
      [
        ['lives in Mira', 'another fact'],
        ['Oslo', undefined],
      ],
      [
        ['broken call', undefined],
        ['Oslo', undefined],
      ],
      [
        ['from memory', undefined],
        ['Oslo', undefined],
      ],
    ]);
  });

  test('a lane of the picture has two credit bars under MT-GRPO, and one bar across both turns under GRPO-OR', () => {
    const [searched, , , skipped] = pictured.lanes;
    if (!searched || !skipped) throw new Error('a lane is missing');
    // Turn rewards 0, 1, 0, 1 and outcomes 1, 0, 1, 0: mean 0.5, deviation 0.577 with n − 1, so ±0.866.
    const separate = laneCredit(pictured.forest, 'mt-grpo', controls) ?? [];
    const bars = creditBars(searched, separate, false);
    expect(bars.map(({ from, to }) => [from, to])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    // A₁ = 0.866 − 0.866, and A₂ = −0.866.
    expect(bars[0]?.advantage).toBeCloseTo(0, 5);
    expect(bars[1]?.advantage).toBeCloseTo(-0.866, 3);
    const shared = laneCredit(pictured.forest, 'grpo-or', controls) ?? [];
    expect(creditBars(searched, shared, true)).toEqual([{ from: 0, to: 1, advantage: expect.closeTo(-0.866, 3) }]);
    expect(creditBars(skipped, shared, true)).toEqual([{ from: 0, to: 1, advantage: expect.closeTo(0.866, 3) }]);
    expect([hasNoSignal(separate), hasNoSignal(shared), hasNoSignal([0, Number.NaN, 1e-9])]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

test.each([
  ['ends without an answer', [MARKUP.think, MARKUP.thinkEnd, MARKUP.end]],
  ['searches again', [MARKUP.think, MARKUP.thinkEnd, MARKUP.search, 40, MARKUP.searchEnd]],
  ['has invalid markup', [MARKUP.think, MARKUP.answer]],
])('a last turn of Search that %s is displayed as a broken answer', (_, tokens) => {
  const action = actionSignature(tokens);
  const box = (outcome?: number) =>
    search.picture?.({
      turn: { parent: -1, reward: 0, action, ...(outcome === undefined ? {} : { outcome }) },
      ...{ written: [], reply: [] },
    });
  expect(box(-1)).toEqual({ kind: 'malformed', text: 'broken answer' });
  expect(box()?.text).not.toBe('broken answer');
});

test('a first turn of Search that answers is displayed as a broken call', () => {
  const turn = { parent: -1, reward: -0.2, action: 'answer v5' };
  const written = [{ text: 'Oslo', kind: 'value' }];
  expect(search.picture?.({ turn, written, reply: [] })).toEqual({ kind: 'malformed', text: 'broken call' });
});

test('a tree of programs has a lane for each last program, with its tests', () => {
  const { lanes, forest } = picturedGroup(treeView(), repair);
  expect(lanes.map(({ boxes }) => boxes.map(({ turn }) => turn))).toEqual([[0, 1], [0, 2], [3]]);
  expect(lanes.map(({ isSolved }) => isSolved)).toEqual([false, true, false]);
  expect(lanes[1]?.boxes.map(({ passed }) => passed)).toEqual([
    [true, false],
    [true, true],
  ]);
  // Both lanes contain the first program.
  expect(lanes.map(({ boxes: [first] }) => first?.meeting)).toEqual(['a', 'a', undefined]);
  expect(laneCredit(forest, 'grpo-mt', defaultConfiguration('repair').controls)).toBeUndefined();
});

test.each([
  ['an unsolved rollout without an outcome', [undefined, 0, 1], [false, false, true], [undefined, 0, 1]],
  ['two unsolved rollouts with different outcomes', [0.2, 0, 1], [false, false, true], [0.2, 0, 1]],
  ['rollouts with outcomes that follow from their marks', [0, 0, 1], [false, false, true], undefined],
])('the picture of %s has outcomes only if the marks do not imply them', (_, outcomes, solved, expected) => {
  const turns = outcomes.map((outcome, at) => ({
    ...{ parent: -1, reward: 0, solved: solved[at] },
    ...(outcome === undefined ? {} : { outcome }),
  }));
  const lanes = turns.map((_turn, turn) => ({
    ...{ number: turn + 1, isSolved: solved[turn] === true },
    boxes: [{ kind: 'plain' as const, text: '', summary: '', turn }],
  }));
  expect(differingOutcomes({ lanes, forest: { id: 'g', turns } })).toEqual(expected);
});

test('a turn of the bandit is displayed as its first action with the effect, or as its door', () => {
  const reply = (text: string) => [{ text, kind: 'effect' }];
  const box = (action: string, replied: ReturnType<typeof reply>) =>
    bandit.picture?.({ turn: { parent: -1, reward: 0, action }, written: [], reply: replied });
  expect(['enabled', 'spoiled', 'nothing'].map((effect) => box('a', reply(effect))?.text)).toEqual([
    'key a',
    'bait a',
    'nothing a',
  ]);
  expect(box('c', [])).toEqual({ kind: 'plain', text: 'door c' });
  // In a decision process, the text is the name of the action.
  expect(box('GOOD', reply('good'))).toEqual({ kind: 'action', text: 'GOOD' });
  expect(box('DISTRACT_1', reply('good'))).toEqual({ kind: 'plain', text: 'idle 1' });
});

test('steps are displayed with the names of their tools, and equal states with the same letter', () => {
  const view = stepsView();
  const long = {
    ...view,
    forest: {
      ...view.forest,
      turns: [
        ...view.forest.turns.map((turn) => (turn.parent < 0 ? turn : { ...turn, state: 'shared' })),
        { parent: 3, reward: 0, state: 'alone', action: 'finish()', outcome: 1, solved: true },
      ],
    },
  };
  const { lanes } = picturedGroup(long, repo);
  expect(lanes[0]?.boxes.map(({ text }) => text)).toEqual(['view', 'done']);
  expect(lanes.map(({ boxes }) => boxes.map(({ meeting }) => meeting))).toEqual([
    [undefined, 'a'],
    [undefined, 'a', undefined],
  ]);
});

test.each(ENVIRONMENT_NAMES)(
  'the opening group of %s has different outcomes, and the credit of the float64 rules',
  async (name) => {
    const group = await openingGroup(name);
    if (!group) throw new Error(`run npm run record:opening, because ${name} has no group`);
    expect(hasEqualOutcomes(group.forest)).toBe(false);
    const { rule, advantage } = group.recorded;
    const computed = laneCredit(group.forest, rule, defaultConfiguration(name).controls);
    expect(Array.from(computed ?? [], (value) => Number(value.toFixed(3)))).toEqual(
      advantage.map((value) => expect.closeTo(value, 2)),
    );
  },
);

test('the opening group of Search has executed and skipped searches', async () => {
  const kinds = (await openingGroup('search'))?.lanes.map(({ boxes: [first] }) => first?.kind);
  expect(kinds).toEqual(expect.arrayContaining(['action', 'skipped']));
});
