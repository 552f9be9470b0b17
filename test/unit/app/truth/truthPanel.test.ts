import { describe, expect, test } from 'vitest';
import { correlationText, signedTwo, two } from '../../../../src/app/drawing/numbers.ts';
import { foldTruth, RunModel, secondsLeft } from '../../../../src/app/session/runModel.ts';
import {
  cloudOf,
  compareSigns,
  describeReport,
  hasVaryingAdvantages,
  type Point,
  pointsOf,
  tableOf,
  truthExtent,
} from '../../../../src/app/truth/report.ts';
import { readTruthFile, writeTruthFile } from '../../../../src/app/truth/truthFile.ts';
import { findCreditProblem, fittingRules, measurableRules, rolloutsOf } from '../../../../src/app/truth/truthForm.ts';
import { hasEqualOutcomes, variedGroup } from '../../../../src/rollouts/flatGroups.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { MeasuredTurn, TruthReport } from '../../../../src/training/data/truthReport.ts';
import { RULES, reportOf, TURNS, turn } from '../truthFixtures.ts';

describe('the drawing of turns', () => {
  const points = pointsOf(reportOf(TURNS));

  test('the drawing of turns is ordered by measured advantage and marks clear turns', () => {
    expect(points.map(({ forestTurn, clear }) => [forestTurn, clear])).toEqual([
      [1, true],
      [2, false],
      [3, true],
      [0, true],
    ]);
    expect(truthExtent(points)).toEqual([-1.1, 1.1]);
    expect(truthExtent([])).toEqual([-1, 1]);
  });

  test('each turn is classified by the signs of its measured advantage and its advantage under each rule', () => {
    const listResults = (rule: string) => points.map((point) => compareSigns(point, rule));
    expect(listResults('grpo-or')).toEqual(['right', 'unclear', 'right', 'right']);
    expect(listResults('mt-grpo')).toEqual(['silent', 'unclear', 'pruned', 'wrong']);
  });

  test('the line of best fit matches a manual calculation, and is undefined without variance', () => {
    // GRPO-OR is twice the measured advantage; MT-GRPO has (-1, 0), (0, 1), (1, -1): slope (0 - 1) / 2 of mean 0.
    const or = cloudOf(points, 'grpo-or');
    expect(or.maximum).toBe(2);
    expect(or.fit?.slope).toBeCloseTo(2, 12);
    expect(or.fit?.intercept).toBeCloseTo(0, 12);
    const mt = cloudOf(points, 'mt-grpo');
    expect(mt.maximum).toBe(1);
    expect(mt.fit?.slope).toBeCloseTo(-0.5, 12);
    const none = points.map((point): Point => ({ ...point, rules: { 'grpo-or': 0 } }));
    expect(cloudOf(none, 'grpo-or')).toEqual({ rule: 'grpo-or', maximum: 0 });
    expect(cloudOf([], 'grpo-or')).toEqual({ rule: 'grpo-or', maximum: 0 });
  });
});

/** TURNS and one more clear turn: the minimum number of clear turns for a ranking. */
const BORNE = [...TURNS, turn(4, -0.8, 0.1, [-1.6, 0.5])];

describe('texts of the truth panel', () => {
  test('the table of the truth panel has one column per rule and a description for each measure', () => {
    const { heads, rows } = tableOf(reportOf(BORNE));
    expect(heads).toEqual(['GRPO-OR', 'MT-GRPO']);
    expect(rows.map(({ measure }) => measure)).toEqual([
      'Correlation',
      'Difference from the first rule',
      'Wrong sign',
      'No advantage',
      'Leakage',
      'Clear turns',
    ]);
    expect(rows.every(({ meaning, cells }) => meaning.length > 20 && cells.length === 2)).toBe(true);
    // MT-GRPO prunes one of the four clear turns. Of the other three turns, one has advantage 0 and two have the wrong
    // sign.
    expect(rows[2]?.cells).toEqual(['0 %', '67 %']);
    expect(rows[3]?.cells).toEqual(['0 %', '33 %']);
    expect(rows[4]?.cells).toEqual(['–', '–']); // the advantages are measured
    expect(rows[5]?.cells).toEqual(['4 of 5', '3 of 4']);
  });

  test('exact advantages are labelled as exact and have no reliability', () => {
    const exact = TURNS.map((turn) => ({ ...turn, advantage: { ...turn.advantage, error: 0 } }));
    const [first] = describeReport(reportOf(exact, { continuations: 0 }));
    expect(first).toBe('The advantages are exact under the current policy: their standard error is 0.');
    expect(describeReport(reportOf(exact, { continuations: 8 }))[0]).toContain('Reliability');
  });

  test('the rows on gradients have an additional column for the measured advantages', () => {
    const interval = (value: number) => ({ value, low: NaN, high: NaN });
    const rules = [...RULES, 'truth'].map((rule, index) => ({
      ...{ rule, cosine: interval(0.1 * index), summed: 0.2 * index, error: 2 - index, cosines: [0.1 * index] },
    }));
    const report = reportOf(TURNS, { gradients: { groups: 32, halves: 0.2, rules } });
    expect(tableOf(report).heads.at(-1)).toBe('measured');
    expect(tableOf(report).rows.at(-2)?.cells).toEqual(['.00', '.10', '.20']);
    expect(tableOf(report).rows.at(-1)).toMatchObject({
      measure: 'Mean-gradient error',
      cells: ['2.00', '1.00', '.00'],
    });
    expect(describeReport(report).join(' ')).toContain('is too small: its halves have a cosine of .20');
    const many = { ...report, groups: [...report.groups, ...report.groups] };
    expect(tableOf(many).rows.at(-2)?.cells).toEqual(['.00', '.20', '.40']);
    const plan = { ...report.plan, gradientGroups: 32 };
    expect(describeReport(reportOf(TURNS, { plan })).join(' ')).toContain('not measured');
  });

  test('the leakage of exact advantages is a percentage', () => {
    // The exact advantages are 1, -1, 0 and .5. Under GRPO-OR, the idle turn has 0 of the total magnitude 5. Under
    // MT-GRPO, it has 1 of 2, because the last turn is pruned.
    const exact = reportOf(TURNS.map((turn) => ({ ...turn, advantage: { ...turn.advantage, error: 0 } })));
    expect(tableOf(exact).rows.find(({ measure }) => measure === 'Leakage')?.cells).toEqual(['0 %', '50 %']);
  });

  test('the text of the truth panel explains missing results', () => {
    const inactive = describeReport(
      reportOf(TURNS.map((measured) => ({ ...measured, rules: { 'grpo-or': 0, 'mt-grpo': 1 } }))),
    );
    expect(inactive).toContainEqual(expect.stringMatching(/^GRPO-OR gives every turn the advantage 0/));
    const equal = describeReport(
      reportOf(TURNS.map((measured) => ({ ...measured, advantage: { mean: 0.5, error: 0.1 } }))),
    );
    expect(equal[0]).toContain('All measured advantages are equal');
    const unclear = describeReport(
      reportOf(TURNS.map((measured) => ({ ...measured, advantage: { ...measured.advantage, error: 9 } }))),
    );
    expect(unclear.join(' ')).toMatch(/Reliability \.00: most of the variance is error.*No turn is clearly/);
    const single = describeReport(reportOf(TURNS.map((measured) => ({ ...measured, rollout: 2 }))));
    expect(single.join(' ')).toContain('A single rollout has no interval');
    expect(tableOf(reportOf(TURNS.map((measured) => ({ ...measured, rollout: 2 })))).rows[0]?.cells[0]).toBe('1.00');
  });

  /** Returns the text for a difference between the two rules with this interval. */
  function describeTurns(
    turns: readonly MeasuredTurn[],
    low: number,
    high: number,
    changed: Partial<TruthReport> = {},
  ) {
    const report = reportOf(turns, changed);
    const rules = report.rules.map((rule) => ({ ...rule, ahead: { value: (low + high) / 2, low, high } }));
    return describeReport({ ...report, rules });
  }

  test('each rule is compared with the first rule as far as the interval allows', () => {
    const describeRange = (low: number, high: number) => describeTurns(BORNE, low, high).join(' ');
    expect(describeRange(0.1, 0.2)).toContain('MT-GRPO follows the measured advantages more closely than GRPO-OR.');
    expect(describeRange(-0.2, -0.1)).toContain('less closely');
    expect(describeRange(-0.1, 0.2)).toContain('do not distinguish');
    expect(describeRange(0, 0)).toContain('the same advantages');
  });

  test('a comparison by outcomes states that the return is only the outcome', () => {
    const rewards = { ...reportOf(BORNE).plan, counts: { kind: 'rewards', gamma: 1, bonus: 0 } } as const;
    expect(describeTurns(BORNE, 0.1, 0.2).at(-1)).toMatch(/^The return here is the outcome alone/);
    expect(describeTurns(BORNE, 0.1, 0.2, { plan: rewards }).join(' ')).not.toContain('outcome alone');
    expect(describeTurns(BORNE, -0.1, 0.2).join(' ')).not.toContain('outcome alone');
  });

  test('with too few clear turns, the panel does not rank the rules and states the reason', () => {
    for (const [low, high] of [
      [0.1, 0.2],
      [-0.2, -0.1],
      [-0.1, 0.2],
    ] as const) {
      const lines = describeTurns(TURNS, low, high);
      expect(lines.at(-1)).toMatch(/^No ranking: 3 of 4 turns are clear, and 4 are needed\. Use more/);
      expect(lines.join(' ')).not.toMatch(/closely|do not distinguish/);
      expect(tableOf(reportOf(TURNS)).rows.map(({ measure }) => measure)).not.toContain(
        'Difference from the first rule',
      );
    }
    const [turns] = [
      TURNS.map((measured, index) => ({
        ...measured,
        advantage: { ...measured.advantage, error: index === 0 ? 0.1 : 9 },
      })),
    ];
    expect(describeTurns(turns, 0.1, 0.2).join(' ')).toContain('1 of 4 turns is clear');
  });

  test('the panel does not rank the rules if most of the variance is error', () => {
    const precise = reportOf(BORNE).precision;
    const lines = describeTurns(BORNE, 0.1, 0.2, { precision: { ...precise, reliability: 0.49 } });
    expect(lines.at(-1)).toMatch(/^No ranking: the reliability is \.49, and \.50 is needed\./);
    expect(describeTurns(BORNE, 0.1, 0.2, { precision: { ...precise, reliability: 0.5 } }).join(' ')).toContain(
      'more closely',
    );
  });

  test('a rule without variance is not compared in the text and the table of the truth panel', () => {
    const tied = BORNE.map((measured) => ({
      ...measured,
      rules: { 'grpo-or': 0, 'mt-grpo': measured.advantage.mean },
    }));
    // Result of the formula without a check of the variance.
    const zero = { value: 0, low: 0, high: 0 };
    const report = reportOf(tied);
    const rules = report.rules.map((rule) => ({ ...rule, ahead: { value: 0.4, low: 0.2, high: 0.6 } }));
    const [first, second] = rules;
    const both = { ...report, rules: [{ ...first, correlation: zero }, second] as TruthReport['rules'] };
    expect(describeReport(both).join(' ')).not.toMatch(/closely|No ranking/);
    expect(describeReport(both).join(' ')).toContain('GRPO-OR gives every turn the advantage 0');
    const [correlation, ahead] = tableOf(both).rows;
    expect(correlation?.cells[0]).toBe('zero variance');
    expect(correlation?.cells[1]).toMatch(/^1\.00/);
    expect(ahead?.cells).toEqual(['', '–']);
    expect([hasVaryingAdvantages(both, 'grpo-or'), hasVaryingAdvantages(both, 'mt-grpo')]).toEqual([false, true]);
  });

  test('numbers of the truth panel have two digits and no leading zero', () => {
    expect([0.354, -0.02, 1, 0, NaN, -0.001].map(two)).toEqual(['.35', '−.02', '1.00', '.00', '–', '.00']);
    expect([0.05, -0.05, 0.001].map(signedTwo)).toEqual(['+.05', '−.05', '.00']);
    expect(correlationText({ value: 0.35, low: -0.3, high: 0.39 })).toBe('.35 [−.30, .39]');
    expect(correlationText({ value: 0.35, low: NaN, high: NaN }, true)).toBe('+.35');
  });
});

describe('a truth file', () => {
  const report = reportOf(TURNS);
  const text = writeTruthFile({ environment: 'search', seed: 3, report });
  const changed = (change: (file: Record<string, never>) => void) => {
    const file = JSON.parse(text);
    change(file);
    return () => readTruthFile(JSON.stringify(file));
  };

  test('a written truth file is read as the same report', () => {
    expect(readTruthFile(text)).toEqual({ environment: 'search', seed: 3, report });
  });

  test('a truth file with an error is rejected with the position of the error', () => {
    expect(() => readTruthFile('{\n"plan": 1,\n oops')).toThrow(/line 3: it is not JSON/);
    expect(() => readTruthFile('[]')).toThrow('it is not an object');
    expect(() => readTruthFile('{}')).toThrow('field plan: it is missing');
    const corruptField = (at: string) => (file: Record<string, never>) => {
      const names = at.split('.');
      const last = names.pop() ?? '';
      // biome-ignore lint/suspicious/noExplicitAny: any part of a parsed file
      const owner = names.reduce((value: any, name) => value[name], file);
      owner[last] = 'oops';
    };
    expect(changed(corruptField('groups.0.turns.2.advantage.mean'))).toThrow(
      'field groups[0].turns[2].advantage.mean: "oops" is not a number',
    );
    expect(changed(corruptField('rules.1.correlation'))).toThrow('field rules[1].correlation: it is not an object');
    expect(changed(corruptField('rules.1.rule'))).toThrow('field rules[1].rule: the plan has the rule “mt-grpo” here');
    expect(changed(corruptField('plan.counts.kind'))).toThrow(
      'field plan.counts.kind: "oops" is not one of outcome, rewards',
    );
    expect(changed(corruptField('groups.0.turns.0.rules.mt-grpo'))).toThrow(
      'field groups[0].turns[0].rules.mt-grpo: "oops"',
    );
    expect(changed(({ groups }) => (groups as unknown[]).splice(0))).toThrow('field groups: it is empty');
    expect(changed(({ rules }) => (rules as unknown[]).pop())).toThrow(
      'field rules: it has 1 entries, and 2 are required',
    );
  });
});

describe('the measurement in progress', () => {
  test('a measurement in progress reports the time left and retains known results', () => {
    const waiting = foldTruth({}, { type: 'status', status: 'measuring' }, 1000);
    expect(secondsLeft(waiting ?? {})).toBeUndefined();
    const report = reportOf(TURNS);
    const progress = { type: 'truth-progress', stage: 'continuations', done: 2, total: 10 } as const;
    const running = foldTruth(waiting, { ...progress, report }, 5000);
    // Two batches took 4 seconds, and eight batches remain.
    expect(secondsLeft(running ?? {})).toBe(16);
    expect(foldTruth(running, { ...progress, done: 3 }, 6000)?.report).toBe(report);
    expect(foldTruth(running, { type: 'truth', ended: 'failed', problem: 'no' }, 0)).toEqual({
      ...{ ended: 'failed', problem: 'no', report },
    });
    expect(foldTruth(running, { type: 'truth', ended: 'cancelled' }, 0)).toEqual({ ended: 'cancelled' });
    expect(foldTruth(running, { type: 'status', status: 'stopped' }, 0)?.ended).toBe('failed');
    expect(foldTruth(undefined, { type: 'status', status: 'stopped' }, 0)).toBeUndefined();
  });

  test('a measurement belongs to its run', () => {
    const model = new RunModel(defaultConfiguration());
    expect(model.truth).toBeUndefined();
    model.expectTruth();
    model.apply({ type: 'truth', ended: 'complete', report: reportOf(TURNS) });
    expect(model.truth?.ended).toBe('complete');
    expect(new RunModel(defaultConfiguration()).truth).toBeUndefined();
  });
});

describe('measurable rules and groups', () => {
  const leaf = (parent: number, outcome: number) => ({ parent, reward: 0, outcome });
  const chains: Group = { id: 'a', turns: [{ parent: -1, reward: 0 }, leaf(0, 1), leaf(-1, 0)] };
  const tree: Group = { id: 'b', turns: [{ parent: -1, reward: 0 }, leaf(0, 1), leaf(0, 1)] };

  test('rules that need no critic can be measured, with the most suitable rules first', () => {
    expect(measurableRules('repo')).not.toContain('mt-ppo');
    expect(fittingRules('search', 'mt-grpo')).toEqual(['grpo-or', 'mt-grpo', 'grpo-mr']);
    expect(fittingRules('search', 'rloo')).toEqual(['grpo-or', 'rloo', 'mt-grpo']);
    expect(fittingRules('repo', 'mt-ppo')).toEqual(['grpo-or', 'rtmc', 'grpo-step']);
    // The critic of the active rule is available for rules of turns.
    expect(measurableRules('repo', 'grpo-or')).not.toContain('turn-ppo');
    expect(measurableRules('repo', 'mt-ppo')).toContain('turn-ppo');
    expect(measurableRules('repo', 'mt-ppo')).not.toContain('mt-ppo');
    expect(findCreditProblem(undefined, 'grpo-or')).toBeUndefined();
    expect(findCreditProblem(tree, 'grpo-or')).toContain('turn');
    expect(fittingRules('repair', 'murphy-mars', tree).slice(0, 2)).toEqual(['murphy-mars', 'murphy-mers']);
  });

  test('rollouts of chains and trees are listed, and groups with equal outcomes are recognized', () => {
    expect(rolloutsOf(chains)).toEqual([[0, 1], [2]]);
    expect(rolloutsOf(tree)).toEqual([
      [0, 1],
      [0, 2],
    ]);
    expect([hasEqualOutcomes(chains), hasEqualOutcomes(tree)]).toEqual([false, true]);
    expect([variedGroup([tree, tree, chains]), variedGroup([tree, tree]), variedGroup([])]).toEqual([2, 0, 0]);
    // A group with rewarded and unrewarded first turns is preferred.
    const both = {
      ...chains,
      turns: chains.turns.map((turn, index) => ({ ...turn, reward: index === 0 ? 0.5 : -0.2 })),
    };
    expect(variedGroup([tree, chains, both])).toBe(2);
  });
});
