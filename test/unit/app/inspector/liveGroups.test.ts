import { describe, expect, test } from 'vitest';
import { allCredits, creditOf, viewsOf } from '../../../../src/app/inspector/choice.ts';
import {
  atGranularity,
  granularities,
  inspect,
  inspectView,
  listRemainingFields,
  recordedGranularity,
} from '../../../../src/app/inspector/inspected.ts';
import { groupJsonLine } from '../../../../src/app/runs/runFiles.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { readUserFiles } from '../../../../src/rollouts/import/userFiles.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { groupOf } from '../appFixtures.ts';
import { stepsView, treeView } from '../appLiveFixtures.ts';

const choice = { rule: '', values: {} };

/** Writes a group as the page exports it, reads the line, and returns the Inspector's data. */
async function throughFile(view: GroupView) {
  const groups: Group[] = [];
  const file = new Blob([groupJsonLine(view)]);
  await readUserFiles([{ path: 'group.jsonl', file }], (group) => groups.push(group));
  expect(groups).toHaveLength(1);
  return inspect(groups[0]);
}

describe('the exported line of a group', () => {
  test.each([
    ['chains', groupOf()],
    ['a tree', treeView()],
    ['tool calls', stepsView()],
    // Sequences can have any order; each turn has its index.
    ['a tree with sequences in another order', treeView({ rollouts: [...treeView().rollouts].reverse() })],
  ])('the exported line of a group has the data that the Inspector reads from the run: %s', async (_, view) => {
    const [live, read] = [inspectView(view), await throughFile(view)];
    expect(read.details).toEqual(live.details);
    expect(read.group.turns).toHaveLength(live.group.turns.length);
    for (const [index, turn] of live.group.turns.entries()) expect(read.group.turns[index]).toMatchObject(turn);
    expect(viewsOf(read)).toEqual(viewsOf(live));
    const summarizeCredits = (group: typeof live.group) =>
      allCredits(group, choice).map(({ credit, problem }) => [credit?.advantage, problem]);
    expect(summarizeCredits(read.group)).toEqual(summarizeCredits(live.group));
  });

  test('the exported line of a tree has its parents and programs, and no advantage for a pruned turn', async () => {
    const { group, details } = await throughFile(treeView());
    expect(group.turns.map(({ parent }) => parent)).toEqual([-1, 0, 0, -1]);
    expect(details.map(({ detail }) => detail?.program.split('    ')[1])).toEqual([
      'return v0',
      'return v1',
      'return v2',
      'return v3',
    ]);
    expect(group.turns.map(({ advantage }) => advantage)).toEqual([0.5, undefined, 0.7, -0.5]);
    expect(group.turns.map((turn) => 'outcomeOnlyAdvantage' in turn)).toEqual([false, false, false, false]);
    expect(viewsOf(inspectView(treeView()))[0]).toBe('programs');
  });
});

describe('states at another granularity', () => {
  const { forest } = stepsView();

  test('a granularity can be selected if every turn has its states', () => {
    expect(granularities(forest)).toEqual(['history', 'coarse']);
    expect(recordedGranularity(forest)).toBe('history');
    expect(granularities(treeView().forest)).toEqual([]);
    const [first, ...rest] = forest.turns;
    expect(granularities({ ...forest, turns: [{ ...first, states: { history: '', paper: '' } }, ...rest] })).toEqual(
      [],
    );
    expect(granularities({ id: 'none', turns: [] })).toEqual([]);
  });

  test('states of an invalid form are shown unchanged and cannot be selected', () => {
    const odd = forest.turns.map((turn) => ({ ...turn, states: { history: 1, coarse: 2 } as never }));
    expect(granularities({ id: 'odd', turns: odd })).toEqual([]);
    expect(listRemainingFields(odd[0])).toEqual([['states', '{"history":1,"coarse":2}']]);
    expect(listRemainingFields(forest.turns[0])).toEqual([]);
  });

  test('another granularity replaces the states; the recorded or an unknown granularity returns the same group', () => {
    const coarse = atGranularity(forest, 'coarse');
    expect(coarse.turns.map(({ state }) => state)).toEqual(['#', '#', '#', '#']);
    expect(coarse.turns.map(({ action, reward }) => [action, reward])).toEqual(
      forest.turns.map(({ action, reward }) => [action, reward]),
    );
    expect(atGranularity(forest, 'coarse')).toBe(coarse);
    for (const name of [undefined, 'history', 'contents']) expect(atGranularity(forest, name)).toBe(forest);
    // The result allows the selection of another granularity.
    expect(recordedGranularity(coarse)).toBe('coarse');
  });

  test('states of another granularity change the credit of RTMC and not the credit of GRPO', () => {
    const at = (rule: string, states?: string) =>
      creditOf(forest, { ...choice, ...(states ? { states } : {}) }, rule).credit?.advantage;
    expect(at('grpo-or', 'coarse')).toEqual(at('grpo-or'));
    // By history, the two last calls have separate states. With p = 1/2, V is between the return and 1/2.
    const advantages = at('rtmc') ?? [];
    expect([advantages[1], advantages[3]].map((value) => Number(value?.toFixed(9)))).toEqual(
      [0.02, 1.02].map((G) => Number((G - (G + 2 * 0.5) / 3).toFixed(9))),
    );
    // By edits alone, all four turns share one state with two `finish` calls: Q = (0.02 + 1.02) / 2.
    const shared = at('rtmc', 'coarse') ?? [];
    expect(shared[1]).toBe(shared[3]);
    const G = [0.02 + 0.99 * 0.02, 0.02, 0.02 + 0.99 * 1.02, 1.02];
    const V = (G[0] + G[1] + G[2] + G[3] + 2 * 0.5) / (4 + 2);
    expect(shared[3]).toBeCloseTo((G[1] + G[3]) / 2 - V, 12);
  });
});
