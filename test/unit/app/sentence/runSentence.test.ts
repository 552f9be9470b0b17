import { describe, expect, test } from 'vitest';
import { type DescribedRun, runSentence, suggestedRule } from '../../../../src/app/sentence/runSentence.ts';
import type { Metrics } from '../../../../src/training/data/protocol.ts';
import { openingRun, PRESETS, presetRun } from '../../../../src/training/data/worlds.ts';
import { metricsOf } from '../appFixtures.ts';

/** Counts of first turns of an update of 100 rollouts, and mean advantages of executed and skipped searches. */
interface Counts {
  readonly executed: number;
  readonly malformed?: number;
  readonly credit?: readonly [executed: number, skipped: number];
}

function update(step: number, rule: string, { executed, malformed = 0, credit = [0, 0] }: Counts): Metrics {
  const skipped = 100 - executed - malformed;
  const turns = { outdated: executed, malformed, skippedRight: skipped };
  const decision = Object.fromEntries(
    Object.entries(turns).flatMap(([name, count]) => [
      [`${name}Count`, count],
      [`${name}Credit`, count * credit[name.startsWith('skipped') ? 1 : 0]],
    ]),
  );
  const evaluation = step % 5 === 0 ? { answer: 0.03, toolUse: 0 } : null;
  return metricsOf(step, {
    rule,
    toolUse: executed / 100,
    answer: 0.97,
    decision,
    ...Object.fromEntries([['heldOut', evaluation]]),
  });
}

/** Returns a run whose rule changed at some steps. */
function runOf(
  updates: readonly Counts[],
  changes: readonly (readonly [step: number, rule: string])[] = [],
  environment: 'search' | 'repair' = 'search',
): DescribedRun {
  const configuration = openingRun(environment);
  const rule = changes.at(-1)?.[1] ?? String(configuration.controls.rule);
  return {
    ...{ configuration, status: 'playing', step: updates.length },
    controls: { ...configuration.controls, rule },
    metrics: updates.map((counts, step) => update(step, rule, counts)),
    events: changes.map(([step, to]) => ({ step, kind: 'change', changes: { rule: to }, text: '' })),
  };
}

/** Returns a run whose documents contain the answer more often than the agent answers correctly. */
const withRetrieval = (run: DescribedRun): DescribedRun => ({
  ...run,
  metrics: run.metrics.map((row) => ({ ...row, retrieval: 0.6, answer: 0.12 })),
});

const repeated = (count: number, counts: Counts) => Array.from({ length: count }, () => counts);
const SEARCHING = { executed: 97 };
const text = (run: DescribedRun) => runSentence(run).text;

describe('the sentence of a search run', () => {
  const OR = [[28, 'grpo-or']] as const;
  const before = repeated(28, SEARCHING);
  const cases: readonly (readonly [state: string, run: DescribedRun, sentence: string])[] = [
    ['before the first update', runOf([]), 'MT-GRPO: credit per turn.'],
    [
      'under MT-GRPO',
      runOf(repeated(5, SEARCHING)),
      'MT-GRPO: each turn earns its own credit. 97% of the attempts search.',
    ],
    [
      'with more tool use in the newest update',
      runOf([...repeated(2, { executed: 85 }), { executed: 88 }]),
      'MT-GRPO: each turn earns its own credit. 88% of the attempts search.',
    ],
    [
      'with retrieved answers that the agent cannot read yet',
      withRetrieval(runOf(repeated(5, SEARCHING))),
      '97% search. 60% find the answer in the document, but the agent cannot read it yet.',
    ],
    [
      'at update 25',
      runOf(repeated(25, SEARCHING)),
      'MT-GRPO: each turn earns its own credit. 97% of the attempts search. Now press GRPO-OR.',
    ],
    [
      'immediately after a rule change',
      runOf(before, OR),
      'GRPO-OR since update 28: a search earns nothing by itself. It usually shows after 20 to 40 updates.',
    ],
    [
      'ten updates after a rule change',
      runOf([...before, ...repeated(10, SEARCHING)], OR),
      'GRPO-OR since update 28: a search earns nothing by itself. It usually shows after 20 to 40 updates.',
    ],
    [
      'with decreasing tool use',
      runOf([...before, ...repeated(3, { executed: 62, credit: [-0.1, 0.2] })], OR),
      'Attempts that skip the search get more credit: 62% still search.',
    ],
    [
      'with decreasing tool use and more credit for searches',
      runOf([...before, ...repeated(3, { executed: 62, credit: [0.3, 0.2] })], OR),
      'GRPO-OR: a search earns nothing by itself. 62% still search.',
    ],
    [
      'with malformed calls',
      runOf([...before, ...repeated(3, { executed: 2, malformed: 68 })], OR),
      'It still starts a search, and breaks it: 68% broken calls, which cost nothing under GRPO-OR.',
    ],
    [
      'without tool use',
      runOf([...before, ...repeated(3, { executed: 2 })], OR),
      'Tool use dropped to 2%: training accuracy 97%, held-out 3%. Press MT-GRPO.',
    ],
    [
      'after a return to MT-GRPO',
      runOf([...before, ...repeated(3, { executed: 2 })], [...OR, [31, 'mt-grpo']]),
      'MT-GRPO since update 31: a search earns its own credit. 2% search.',
    ],
    [
      'with recovered tool use',
      runOf([...before, ...repeated(6, { executed: 80 })], [...OR, [30, 'mt-grpo']]),
      'Searching: 80% of the attempts, each with its own credit under MT-GRPO.',
    ],
    [
      'under a rule outside the toggle',
      runOf(before, [[28, 'rloo']]),
      'RLOO since update 28: every turn of a rollout gets the outcome minus the mean outcome of the other rollouts.',
    ],
  ];

  test.each(cases)(
    'the sentence of a search run %s has the expected text of at most 20 words',
    (_state, run, sentence) => {
      expect(text(run)).toBe(sentence);
      expect(sentence.split(/\s+/).length).toBeLessThanOrEqual(20);
    },
  );
});

test('a delay that was measured in other runs is not stated', () => {
  const run = runOf(repeated(28, SEARCHING), [[28, 'grpo-or']]);
  const start = 'GRPO-OR since update 28: a search earns nothing by itself.';
  expect(text({ ...run, controls: { ...run.controls, learningRate: 1e-4 } })).toBe(start);
  for (const name of ['open-mt', 'forgetting-kl']) {
    const preset = PRESETS.find((candidate) => candidate.name === name) as (typeof PRESETS)[number];
    const { settings, controls } = presetRun(preset);
    const configuration = { ...run.configuration, settings, controls };
    expect(text({ ...run, configuration, controls: { ...controls, rule: 'grpo-or' } })).toBe(start);
  }
  const again = [
    [10, 'grpo-or'],
    [20, 'mt-grpo'],
    [28, 'grpo-or'],
  ] as const;
  expect(text(runOf(repeated(28, SEARCHING), again))).toBe(start);
});

test('the sentence of a repair run states its rule and the newest value of its main chart', () => {
  const run = runOf([], [], 'repair');
  expect(text(run)).toBe('GRPO-MT: same credit for both attempts.');
  const solved = { ...run, step: 1, metrics: [metricsOf(0, { facts: { pass1: 0.25 } })] };
  expect(text(solved)).toBe('GRPO-MT: same credit for both attempts. Solved at once: 25%.');
});

test('the page suggests the other rule from update 25 until the rule changes', () => {
  const suggested = (updates: number, changes: readonly (readonly [number, string])[] = []) =>
    suggestedRule(runOf(repeated(updates, SEARCHING), changes));
  expect([suggested(24), suggested(25), suggested(40, [[30, 'grpo-or']])]).toEqual([undefined, 'grpo-or', undefined]);
  const long = runOf(repeated(30, SEARCHING));
  expect(suggestedRule({ ...long, controls: { ...long.controls, rule: 'rloo' } })).toBeUndefined();
  const planned = { ...long.configuration, schedule: [{ step: 60, changes: { rule: 'grpo-or' } }] };
  expect(suggestedRule({ ...long, configuration: planned })).toBeUndefined();
});
