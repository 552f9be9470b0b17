import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countEpisodes, countFacts, type IntermediateValues } from '../../../src/environments/fact.ts';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import { refinementRates } from '../../../src/environments/repair/evaluation.ts';
import { VISIBLE_TESTS } from '../../../src/environments/repair/repairSettings.ts';
import { METRICS, metricsOfGroup } from '../../../src/metrics/metricTable.ts';
import { buildForest, type Group, type Turn } from '../../../src/rollouts/forest.ts';
import type { RolloutBatch, RolloutTurn } from '../../../src/rollouts/rolloutBatch.ts';
import { ENVIRONMENT_NAMES, type EnvironmentName } from '../../../src/training/data/configuration.ts';

type Facts = Readonly<Record<string, number>>;

/** Creates a batch of groups of trajectories from the facts of each turn and the outcomes of last turns. */
function batchOf(groups: readonly (readonly (readonly (Facts & { outcome?: number })[])[])[]): RolloutBatch {
  let forestTurn = 0;
  const trajectories = groups.flatMap((members, group) =>
    members.map((turns) => ({
      group,
      turns: turns.map(
        ({ outcome, ...facts }): RolloutTurn => ({
          ...{ forestTurn: forestTurn++, reward: 0, components: {}, facts, summary: '' },
          ...(outcome === undefined ? {} : { outcome }),
        }),
      ),
    })),
  );
  const forest = buildForest(groups.map((members, index) => groupOf(index, members)));
  return { groups: forest.groups, forest, trajectories } as unknown as RolloutBatch;
}

function groupOf(index: number, members: readonly (readonly Facts[])[]): Group {
  const turns = members.flatMap((steps, member) => {
    const first = members.slice(0, member).reduce((sum, { length }) => sum + length, 0);
    return steps.map(({ state = 0 }, turn) => {
      return { parent: turn === 0 ? -1 : first + turn - 1, reward: 0, state: `state ${state}` };
    });
  });
  return { id: `group ${index}`, turns };
}

const advantages = (...turns: number[]) => Float32Array.from(turns);

const factsOf = (environment: EnvironmentName, batch: RolloutBatch, credit = advantages(), readWeights = returnEmpty) =>
  countFacts(ENVIRONMENTS[environment].facts, batch, credit, readWeights);

const returnEmpty = (_: number): IntermediateValues => ({});

/** Returns the metrics that the environment adds to the common metrics. */
const metricsOf = (environment: EnvironmentName, batch: RolloutBatch) =>
  Object.fromEntries(
    Object.entries(ENVIRONMENTS[environment].metrics ?? {}).map(([name, count]) => [name, count(batch)]),
  );

/** Creates a batch of groups from the parent, `answerLogProb` and `stateValue` of each turn. */
const stateBatch = (
  ...groups: readonly (readonly Pick<Turn, 'parent' | 'answerLogProb' | 'stateValue'>[])[]
): RolloutBatch => {
  const converted = groups.map(
    (turns, index): Group => ({ id: `${index}`, turns: turns.map((turn) => ({ ...turn, reward: 0 })) }),
  );
  return { groups: converted, trajectories: [] } as unknown as RolloutBatch;
};

test('facts report the probability of the right answer and the state value before first and before later turns', () => {
  const [quarter, half] = [Math.log(0.25), Math.log(0.5)];
  const batch = stateBatch(
    [
      { parent: -1, answerLogProb: quarter, stateValue: 1 },
      { parent: 0, answerLogProb: half, stateValue: 0.5 },
    ],
    [
      { parent: -1, answerLogProb: half, stateValue: 0 },
      { parent: 0, answerLogProb: half, stateValue: 0.25 },
      { parent: 1, answerLogProb: 0, stateValue: 0 },
    ],
  );
  const { answerProbabilityFirst, answerProbabilityFurther, stateValueFirst, stateValueFurther } = factsOf(
    'search',
    batch,
  );
  // (.25 + .5) / 2, (.5 + .5 + 1) / 3; (1 + 0) / 2, (.5 + .25 + 0) / 3
  expect(answerProbabilityFirst).toBeCloseTo(0.375, 12);
  expect(answerProbabilityFurther).toBeCloseTo(2 / 3, 12);
  expect([stateValueFirst, stateValueFurther]).toEqual([0.5, 0.25]);
  expect(factsOf('bandit', batch)).toMatchObject({ stateValueFirst: 0.5, stateValueFurther: 0.25 });
  // No rule has requested these values.
  const missing = factsOf('search', stateBatch([{ parent: -1 }, { parent: 0 }]));
  expect(missing).toMatchObject({
    answerProbabilityFirst: null,
    answerProbabilityFurther: null,
    stateValueFirst: null,
    stateValueFurther: null,
  });
});

test('repair: the range of continuations is reported if failed programs have different numbers', () => {
  const tree = (...parents: readonly number[]) => parents.map((parent) => ({ parent }));
  const uneven = stateBatch(tree(-1, 0, 0, 0, -1, 4), tree(-1, 0, 0, -1));
  expect(factsOf('repair', uneven)).toMatchObject({ continuationsLeast: 1, continuationsMaximum: 3 });
  const none = { continuationsLeast: null, continuationsMaximum: null };
  expect(factsOf('repair', stateBatch(tree(-1, 0, 0), tree(-1, 0, 0, -1)))).toMatchObject(none);
  expect(factsOf('repair', stateBatch(tree(-1, -1)))).toMatchObject(none);
});

test('repair: facts match a calculation by hand', () => {
  const right = { solved: 1, passRate: 1, partial: 0 };
  const half = { solved: 0, passRate: 0.5, partial: 1 };
  const broken = { solved: 0, passRate: 0, partial: 0, syntaxError: 1 };
  const batch = batchOf([
    // One program is right at once, one is repaired, one is wrong twice, and one has no second attempt.
    [[right], [half, right], [broken, half], [half]],
    [[right], [right]],
  ]);
  expect(factsOf('repair', batch)).toEqual({
    continuationsLeast: null,
    continuationsMaximum: null,
    pass1: 3 / 6,
    pass2: 1 / 2,
    solved: 4 / 6,
    repaired: 1 / 2,
    passRate: (1 + 0.5 + 0 + 0.5 + 1 + 1) / 6,
    partial: 2 / 6,
    syntaxErrors: 1 / 8,
    degenerate01: 1 / 2,
    rareTests: null,
    rareWeight: null,
    passedOfAll: (1 + 0.5 + 1 + 0 + 0.5 + 0.5 + 1 + 1) / 8,
    modelReward: null,
    highScoreFailures: null,
    testsAgree: null,
    caught: null,
    testsDistinct: null,
  });
});

test('repair: tests that a policy writes do not count as programs', () => {
  const [right, half] = [
    { solved: 1, passRate: 1, partial: 0 },
    { solved: 0, passRate: 0.5, partial: 1 },
  ];
  const tests = (testsAgree: number, caught: number) => ({ testsWritten: 3, testsDistinct: 2, testsAgree, caught });
  const accepted = { testsWritten: 1, testsDistinct: 1, testsAgree: 1 };
  const batch = batchOf([
    [
      [half, tests(1, 1), right],
      [half, tests(0.5, 0), half],
    ],
    [
      [right, accepted],
      [half, tests(0, 0)],
    ],
  ]);
  expect(factsOf('repair', batch)).toMatchObject({
    ...{ pass1: 1 / 4, pass2: 1 / 2, solved: 2 / 4, repaired: 1 / 2, passedOfAll: (4 * 0.5 + 2) / 6 },
    ...{ testsAgree: 2.5 / 4, caught: 1 / 3, testsDistinct: 7 / 4, degenerate01: 0 },
  });
});

test('repair: facts report the share and the weight of tests that few programs pass', () => {
  const right = { solved: 1, passRate: 1, partial: 0 };
  const batch = batchOf([[[right], [right]], [[right]], [[right]]]);
  const createWeights = (...tests: readonly (readonly [passRate: number, weight: number])[]): IntermediateValues => ({
    passRate: Float64Array.from(tests, ([rate]) => rate),
    weights: Float64Array.from(tests, ([, weight]) => weight),
  });
  // Group 0: one of three tests is rare, with 3 of 4 units of weight. Group 1: one of two, with half of the weight.
  // Group 2 has only rare tests, so it is not counted.
  const credits = [
    createWeights([1, 0.5], [0.25, 3], [0.5, 0.5]),
    createWeights([0, 2], [1, 2]),
    createWeights([0, 1], [0.1, 1]),
  ];
  const counted = factsOf('repair', batch, undefined, (group) => credits[group]);
  expect(counted).toMatchObject({ rareTests: (1 / 3 + 1 / 2) / 2, rareWeight: (3 / 4 + 1 / 2) / 2 });
  expect(factsOf('repair', batch)).toMatchObject({ rareTests: null, rareWeight: null });
});

test('repair: the reward of a reward model is reported together with the tests passed', () => {
  const [right, preferred, wrong] = [
    { solved: 1, passRate: 1, modelReward: 0.5 },
    { solved: 0, passRate: 0.5, modelReward: 0.9 },
    { solved: 0, passRate: 0, modelReward: 0.1 },
  ];
  const batch = batchOf([[[right], [preferred, wrong]], [[wrong, right]]]);
  expect(factsOf('repair', batch)).toMatchObject({
    passedOfAll: 2.5 / 5,
    modelReward: expect.closeTo(2.1 / 5, 12),
    highScoreFailures: 1 / 3,
  });
});

test('search: the reward of a judge is reported together with the reward by the rules', () => {
  const [retrieved, outdated, preferred, missed] = [
    { toolUse: 1, retrieval: 1, judged: 1, judgeReward: 0.5, ruleReward: 0.5 },
    { toolUse: 1, retrieval: 0, outdated: 1, judged: 0.95, judgeReward: 0.4, ruleReward: 0.2 },
    { toolUse: 0, judged: 0.9, judgeReward: 0.3, ruleReward: -0.2 },
    { toolUse: 1, retrieval: 0, judged: 0.5, judgeReward: 0.1, ruleReward: 0.2 },
  ];
  const answer = { answer: 1, judged: 0.99, outcome: 1 };
  const batch = batchOf([
    [
      [retrieved, answer],
      [outdated, answer],
      [preferred, answer],
      [missed, answer],
    ],
  ]);
  expect(factsOf('search', batch, advantages(0, 0, 0, 0, 0, 0, 0, 0))).toMatchObject({
    judgeReward: expect.closeTo(1.3 / 4, 12),
    ruleReward: expect.closeTo(0.7 / 4, 12),
    highScoreFailures: 1 / 2,
  });
  const unjudged = batchOf([[[{ toolUse: 1 }, { answer: 1, outcome: 1 }]]]);
  const none = { judgeReward: null, ruleReward: null, highScoreFailures: null };
  expect(factsOf('search', unjudged, advantages(0, 0))).toMatchObject(none);
});

test('repair: a program with several continuations counts once', () => {
  const [wrong, again, good] = [{ solved: 0 }, { solved: 0 }, { solved: 1 }];
  const batch = batchOf([[[wrong, again, again]]]);
  const [{ group, turns }] = batch.trajectories;
  const sibling = { ...turns[1], forestTurn: 9, facts: good };
  const tree = {
    ...batch,
    trajectories: [
      { group, turns },
      { group, turns: [turns[0], sibling] },
    ],
  };
  expect(factsOf('repair', tree)).toMatchObject({ pass1: 0, pass2: 1 / 2, repaired: 1, solved: 1 / 2 });
});

test('repair: metrics without data are null', () => {
  const facts = factsOf('repair', batchOf([[[{ solved: 1 }], [{ solved: 1 }]]]));
  expect([facts.pass2, facts.repaired]).toEqual([null, null]);
});

test('repo: facts match a calculation by hand', () => {
  const end = { finished: 1, outcome: 1, tested: 1, edited: 1 };
  const batch = batchOf([
    [
      [{ state: 1 }, { state: 2, invalid: 1 }, { ...end, state: 3 }],
      [{ state: 1 }, { state: 4, finished: 1, outcome: 0 }],
    ],
    // Out of steps: an outcome of 0 without `finish`.
    [[{ state: 5 }, { state: 5, outcome: 0 }], [{ state: 6, outcome: 0 }]],
  ]);
  expect(factsOf('repo', batch, advantages(0.5, 0, 1, -1, 0, 0, 0, 0))).toEqual({
    solved: 1 / 4,
    steps: 8 / 4,
    finished: 2 / 4,
    tested: 1 / 4,
    edited: 1 / 4,
    invalid: 1 / 8,
    // Of the five steps of the group with different outcomes.
    zeroAdvantage: 2 / 5,
    // Two rollouts share state 1. State 5 occurs twice in one rollout and is not shared.
    sharedStates: 2 / 8,
    uniform: 1 / 2,
  });
});

test('each fact of an environment has exactly one entry', () => {
  const batch = batchOf([[[{ solved: 1, outcome: 1 }], [{ solved: 0, outcome: 0 }]]]);
  for (const name of ['search', 'repair', 'repo'] as const) {
    const entries = ENVIRONMENTS[name].facts.map((fact) => fact.name);
    expect(Object.keys(factsOf(name, batch, advantages(0, 0)))).toEqual(entries);
  }
  // The metric table also lists `searchProbability` for Search, which is not counted from the facts of turns.
  const names = metricsOfGroup('search').map(({ name }) => name as string);
  expect([...Object.keys(metricsOf('search', batch)), 'searchProbability']).toEqual(names);
});

test('search: metrics are means over rollouts of the largest value among their turns', () => {
  const batch = batchOf([
    [
      [
        { toolUse: 1, retrieval: 0, searches: 1 },
        { toolUse: 1, retrieval: 1, searches: 2 },
        { answer: 1, format: 1 },
      ],
      [{ toolUse: 0 }, { format: 1 }],
    ],
  ]);
  expect(metricsOf('search', batch)).toEqual({ toolUse: 0.5, retrieval: 0.5, answer: 0.5, format: 1, searches: 1 });
});

test('search: facts report the share of outdated documents and the rate of right answers despite them', () => {
  const createRollout = (answer: number) => [{ toolUse: 1, outdated: 1 }, { answer }];
  const batch = batchOf([
    [createRollout(1), createRollout(0), createRollout(0), [{ toolUse: 1, retrieval: 1 }, { answer: 1 }]],
  ]);
  expect(factsOf('search', batch)).toMatchObject({ outdated: 3 / 4, against: 1 / 3 });
  expect(factsOf('search', batchOf([[[{ toolUse: 0 }, { answer: 1 }]]]))).toMatchObject({ outdated: 0, against: null });
});

test('search: facts report the share of groups with tied outcomes and the absolute credit of their first turns', () => {
  const ends = (outcome: number) => [{}, { outcome }];
  const batch = batchOf([[ends(1), ends(0.2)], [ends(0.2), ends(0.2)], [[{ outcome: 1 }]]]);
  const credit = advantages(...[1, 2, -1, -2], ...[0.5, 9, -0.25, 9], 0);
  expect(factsOf('search', batch, credit)).toMatchObject({ tied: 2 / 3, creditInTies: (0.5 + 0.25 + 0) / 3 });
  expect(factsOf('search', batchOf([[ends(1), ends(0.2)]]), credit)).toMatchObject({ tied: 0, creditInTies: null });
});

test('environment metrics have other names than common metrics, because lines of the terminal contain both', () => {
  for (const environment of ENVIRONMENT_NAMES) {
    const shared = METRICS.filter(({ group }) => group !== environment);
    const common: readonly string[] = shared.map(({ name }) => name);
    const { facts, metrics = {} } = ENVIRONMENTS[environment];
    const names = [...facts.map(({ name }) => name), ...Object.keys(metrics)];
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => common.includes(name))).toEqual([]);
  }
});

test('repair: held-out Iter-1 and Iter-2 of a run equal Iter-1 and Iter-2 of an evaluation', () => {
  const passed = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 5, maxLength: 10 });
  const episodes = fc.array(fc.array(passed, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(episodes, (generated) => {
      const trajectories = generated.map((turns, group) => ({
        group,
        turns: turns.map((tests) => ({ facts: { hidden: Number(tests.slice(VISIBLE_TESTS).every(Boolean)) } })),
      }));
      const [iter1, iter2] = refinementRates(generated, 2).iterations;
      const figures = countEpisodes(ENVIRONMENTS.repair.heldOut, { trajectories } as unknown as RolloutBatch);
      const failed = trajectories.filter(({ turns }) => turns[0]?.facts.hidden === 0);
      const repaired = failed.filter(({ turns }) => turns.at(-1)?.facts.hidden === 1);
      expect(figures).toEqual({ iter1, iter2, repaired: failed.length === 0 ? null : repaired.length / failed.length });
    }),
  );
});
