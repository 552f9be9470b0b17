import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildForest,
  checkParents,
  ForestError,
  type Group,
  pickTurnFeedback,
  trajectories,
} from '../../../src/rollouts/forest.ts';
import { checkGroup, readGroups, writeGroups } from '../../../src/rollouts/jsonLines.ts';

/** Returns a group with the given parents. The reward of a turn is its index. */
const group = (id: string, ...parents: number[]): Group => ({
  id,
  turns: parents.map((parent, reward) => ({ parent, reward })),
});

function thrown(act: () => unknown): ForestError {
  try {
    act();
  } catch (error) {
    if (error instanceof ForestError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('trajectories', () => {
  it('trajectories returns paths in the order of their first turns', () => {
    // Three interleaved chains: 0 - 2 - 4, 1 - 3 and 5
    expect(trajectories(group('chains', -1, -1, 0, 1, 2, -1))).toEqual([[0, 2, 4], [1, 3], [5]]);
    expect(trajectories(group('empty'))).toEqual([]);
  });

  it('trajectories throws an error for a turn with two children', () => {
    const error = thrown(() => trajectories(group('tree', -1, 0, 1, 1)));
    expect(error).toMatchObject({ name: 'ForestError', group: 'tree', turn: 1, field: 'parent' });
    expect(error.message).toBe(
      'group "tree", turn 1, field "parent": trajectories need turns with at most one child, ' +
        'and turns 2, 3 all continue this one',
    );
  });
});

describe('parents', () => {
  it.each([
    [[0], 0, '0 is not -1'],
    [[-1, 1], 1, '1 is not -1 or an earlier turn (0 to 0)'],
    [[-1, 0, 3, 0], 2, '3 is not -1 or an earlier turn (0 to 1)'],
    [[-1, -2], 1, '-2 is not -1 or an earlier turn (0 to 0)'],
    [[-1, 0.5], 1, '0.5 is not'],
    [[-1, Number.NaN], 1, 'NaN is not'],
  ])('the parents %j are an error at turn %i', (parents, turn, message) => {
    for (const act of [checkParents, trajectories, (item: Group) => buildForest([item])]) {
      const error = thrown(() => act(group('g', ...parents)));
      expect(error).toMatchObject({ group: 'g', turn, field: 'parent' });
      expect(error.message).toContain(message);
    }
  });
});

describe('forest', () => {
  it('buildForest arranges the turns of groups consecutively', () => {
    const chain: Group = {
      id: 'chain',
      turns: [
        { parent: -1, reward: 0.5 },
        { parent: 0, reward: 0, outcome: 1 },
        { parent: -1, reward: -0.2 },
      ],
    };
    const forest = buildForest([chain, group('tree', -1, 0, 0), group('single', -1), group('empty')]);
    expect(forest.groups.map(({ id }) => id)).toEqual(['chain', 'tree', 'single', 'empty']);
    expect([...forest.groupOffset]).toEqual([0, 3, 6, 7, 7]);
    expect([...forest.parent]).toEqual([-1, 0, -1, -1, 3, 3, -1]);
    expect([...forest.depth]).toEqual([0, 1, 0, 0, 1, 1, 0]);
    expect([...forest.reward]).toEqual([0.5, 0, -0.2, 0, 1, 2, 0]);
    expect([...forest.outcome]).toEqual([NaN, 1, NaN, NaN, NaN, NaN, NaN]);
  });

  it('buildForest omits an outcome in the middle of a trajectory', () => {
    const turns = [
      { parent: -1, reward: 0, outcome: 1 },
      { parent: 0, reward: 0, outcome: 0.2 },
    ];
    expect([...buildForest([{ id: 'g', turns }]).outcome]).toEqual([NaN, 0.2]);
  });

  it('buildForest of no groups is empty', () => {
    expect(buildForest([]).groupOffset).toEqual(new Uint32Array(1));
  });

  it('buildForest has the depths and parents of the trajectories of any group of chains', () => {
    // Each turn starts a chain or continues the newest turn of a chain.
    const chains = fc.array(fc.nat(5), { maxLength: 30 }).map((choices) => {
      const tips: number[] = [];
      const parents = choices.map((choice, turn) => {
        const parent = choice < tips.length ? tips[choice] : -1;
        tips[Math.min(choice, tips.length)] = turn;
        return parent;
      });
      return group('chains', ...parents);
    });
    fc.assert(
      fc.property(chains, chains, (first, second) => {
        const forest = buildForest([first, second]);
        const offset = first.turns.length;
        const paths = [
          ...trajectories(first),
          ...trajectories(second).map((path) => path.map((turn) => turn + offset)),
        ];
        expect(paths.flat().toSorted((a, b) => a - b)).toEqual([...forest.reward.keys()]);
        paths.forEach((path) => {
          path.forEach((turn, depth) => {
            expect(forest.depth[turn]).toBe(depth);
            expect(forest.parent[turn]).toBe(depth === 0 ? -1 : path[depth - 1]);
          });
        });
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});

describe('JSON Lines', () => {
  const line = (turn: object, id = 'g') => JSON.stringify({ id, turns: [{ parent: -1, reward: 0 }, turn] });

  it('readGroups skips empty lines and accepts \\r\\n and a byte order mark', () => {
    const text = '\uFEFF{"id":"a","turns":[{"parent":-1,"reward":0.5}]}\r\n\r\n{"id":"b","turns":[]}';
    expect(readGroups(text)).toEqual([
      { id: 'a', turns: [{ parent: -1, reward: 0.5 }] },
      { id: 'b', turns: [] },
    ]);
    expect(readGroups('')).toEqual([]);
  });

  it('writeGroups and readGroups retain all fields, unknown fields included', () => {
    const full: Group = {
      id: 'a "quoted" name\n',
      model: { name: 'some' },
      turns: [
        { parent: -1, reward: 0.1, tokens: 2, values: [0.25, -1], text: 'two\nlines', extra: null },
        { parent: 0, reward: 0, outcome: 1, solved: true, passed: [0, 1], state: 's', action: 'a', validates: false },
      ],
    };
    const text = writeGroups([full, group('b', -1)]);
    expect(text.split('\n')).toHaveLength(3); // two lines, each with a newline
    expect(readGroups(text)).toEqual([full, group('b', -1)]);
  });

  it.each([
    [{ reward: 0 }, 'parent', 'is missing; a whole number is needed'],
    [{ parent: 0 }, 'reward', 'is missing; a finite number is needed'],
    [{ parent: 0, reward: '1' }, 'reward', '"1" is not a finite number'],
    [{ parent: 0, reward: null }, 'reward', 'null is not a finite number'],
    [{ parent: 0.5, reward: 0 }, 'parent', '0.5 is not a whole number'],
    [{ parent: 1, reward: 0 }, 'parent', '1 is not -1 or an earlier turn (0 to 0)'],
    [{ parent: 0, reward: 0, outcome: [1] }, 'outcome', '[1] is not a finite number'],
    [{ parent: 0, reward: 0, solved: 1 }, 'solved', '1 is not true or false'],
    [{ parent: 0, reward: 0, passed: [0, 2] }, 'passed', '[0,2] is not a list of 0 and 1'],
    [{ parent: 0, reward: 0, state: 3 }, 'state', '3 is not a text'],
    [{ parent: 0, reward: 0, tokens: -1 }, 'tokens', '-1 is not a whole number from 0'],
    [{ parent: 0, reward: 0, values: 'x'.repeat(99) }, 'values', `"${'x'.repeat(39)}… is not a list of finite numbers`],
    [{ parent: 0, reward: 0, tokens: 2, values: [1] }, 'values', '1 values for 2 tokens'],
  ])('readGroups throws an error with line, group, turn and field for the turn %j', (turn, field, problem) => {
    const error = thrown(() => readGroups(`${line({ parent: 0, reward: 0 })}\n\n${line(turn)}\n`));
    expect(error).toMatchObject({ line: 3, group: 'g', turn: 1, field });
    expect(error.message).toBe(`line 3, group "g", turn 1, field "${field}": ${problem}`);
  });

  it.each([
    ['{"id":', /^line 1: not JSON \(/],
    ['{"id":"g","turns":[{"parent":-1,"reward":NaN}]}', /^line 1: not JSON \(/],
    ['[]', /^line 1: a group must be an object, not \[\]$/],
    ['{"turns":[]}', /^line 1, field "id": is missing; a text is needed$/],
    ['{"id":7,"turns":[]}', /^line 1, field "id": 7 is not a text$/],
    ['{"id":"g"}', /^line 1, group "g", field "turns": is missing; a list of turns is needed$/],
    ['{"id":"g","turns":[null]}', /^line 1, group "g", turn 0: a turn must be an object, not null$/],
  ])('readGroups throws an error for %s', (text, message) => {
    expect(() => readGroups(text)).toThrow(message);
  });

  it('writeGroups throws an error for numbers that JSON lacks', () => {
    const turns = [{ parent: -1, reward: Number.NaN }];
    expect(() => writeGroups([{ id: 'g', turns }])).toThrow(
      'group "g", turn 0, field "reward": NaN is not a finite number',
    );
    expect(() => checkGroup({ id: 'g', turns: [{ parent: -1, reward: 0, values: [Infinity] }] })).toThrow(/"values"/);
  });
});

it('pickTurnFeedback returns the fields that credit rules read, in a fixed order and without undefined fields', () => {
  const details = { summary: 'searched', facts: { toolUse: 1 }, components: { format: 0.1 }, reply: [3] };
  const feedback = { ...details, action: 'b', validates: false, passed: [0], state: 'a', outcome: 0, reward: 0.5 };
  expect(JSON.stringify(pickTurnFeedback(feedback))).toBe(
    '{"reward":0.5,"outcome":0,"passed":[0],"state":"a","action":"b","validates":false}',
  );
  const all = { ...feedback, solved: true, states: { fine: 'a' }, truncated: true };
  expect(Object.keys(pickTurnFeedback(all)).join()).toBe(
    'reward,outcome,solved,passed,state,states,action,validates,truncated',
  );
  expect(pickTurnFeedback({ reward: 0, outcome: undefined as never })).toEqual({ reward: 0 });
});
