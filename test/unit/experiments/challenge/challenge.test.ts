import { beforeAll, describe, expect, test } from 'vitest';
import { encodeCustomRule, saveResult } from '../../../../src/credit/rules/custom/customRule.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { type ChallengeTask, loadTask, TASK_NAMES } from '../../../../src/experiments/challenge/challengeTask.ts';
import { KINDS, meeting } from '../../../../src/experiments/challenge/createTask.ts';
import {
  builtInRules,
  computeCustomRule,
  cosineOf,
  judgeRule,
  judgeTask,
  judgeTruth,
} from '../../../../src/experiments/challenge/judgeRule.ts';
import { agreements } from '../../../../src/experiments/truth/trueAdvantages.ts';
import { ForestError } from '../../../../src/rollouts/forest.ts';
import { checkGroup } from '../../../../src/rollouts/jsonLines.ts';
import { runParameters } from '../../../../src/training/update/planUpdate.ts';

let tasks: readonly ChallengeTask[];
beforeAll(async () => {
  tasks = await Promise.all(TASK_NAMES.map(loadTask));
});

/** Returns the outcomes [rollouts] of a group. */
const outcomesOf = ({ groups }: ChallengeTask, at: number) =>
  groups[at].group.turns.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));

/** Stores advantages [groups][turns] as results of a custom rule, and returns its name. */
function given(task: ChallengeTask, advantages: readonly (readonly number[])[]): string {
  const name = encodeCustomRule({ file: 'given.py', values: {}, source: '# given' });
  task.groups.forEach(({ group }, index) => {
    saveResult(name, group, { advantage: advantages[index], intermediate: {} });
  });
  return name;
}

describe('the shipped challenge tasks', () => {
  test('each challenge task has groups of its kind, in which each turn is measured', () => {
    for (const task of tasks) {
      expect(task.groups.length, task.name).toBeGreaterThanOrEqual(12);
      if (task.environment === 'bandit') expect(task.continuations).toBe(0);
      else expect(task.continuations).toBeGreaterThanOrEqual(128);
      for (const [at, entry] of task.groups.entries()) {
        const turns = checkGroup(entry.group).turns.length;
        expect([entry.truth.length, entry.summaries.length, entry.products.length, entry.along.length]).toEqual(
          Array(4).fill(turns),
        );
        expect(KINDS[task.name].includes(entry.group, outcomesOf(task, at)), entry.group.id).toBe(true);
        expect(entry.products.map((row) => row.length)).toEqual(Array.from({ length: turns }, (_, turn) => turn + 1));
      }
    }
    expect(tasks[1].groups.some(({ group }) => group.turns.filter(({ parent }) => parent === 0).length > 1)).toBe(true);
  });

  test('the true advantages of a rollout sum to its return minus the value of its initial state', () => {
    // Exact advantages of the delayed effect do not include the random draw at the end.
    for (const { groups, counts } of tasks.filter(({ name }) => name !== 'delayed')) {
      for (const { group, truth } of groups) {
        const starts = group.turns.map((_, last) => {
          let [sum, reward] = [0, 0];
          for (let turn = last; turn >= 0; turn = group.turns[turn].parent) {
            sum += truth[turn][0];
            reward += counts.kind === 'rewards' ? group.turns[turn].reward : 0;
          }
          const { outcome } = group.turns[last];
          return outcome === undefined ? undefined : reward + outcome - sum;
        });
        const known = starts.filter((value) => value !== undefined);
        for (const value of known) expect(value).toBeCloseTo(known[0], 2);
      }
    }
  });

  test('exact advantages have error 0, and in the delayed effect only first turns have a nonzero advantage', () => {
    const [delayed, recovery, stopping] = tasks.slice(3);
    for (const { groups } of [delayed, recovery, stopping]) {
      expect(groups.flatMap(({ truth }) => truth).every(([, error]) => error === 0)).toBe(true);
    }
    for (const { group, truth } of delayed.groups) {
      for (const [turn, { parent, action }] of group.turns.entries()) {
        if (parent >= 0) expect(Math.abs(truth[turn][0])).toBeLessThan(1e-9);
        // The values of the two first actions differ by .6.
        else expect(Math.sign(truth[turn][0])).toBe(action === 'GOOD' ? 1 : -1);
      }
      const first = group.turns.flatMap(({ parent, action }, turn) => (parent < 0 ? [[action, truth[turn][0]]] : []));
      const values = new Map(first as [string, number][]);
      const [good, bad] = [values.get('GOOD'), values.get('BAD')];
      if (good !== undefined && bad !== undefined) expect(good - bad).toBeCloseTo(0.6, 4);
    }
  });
});

describe('the score of a challenge task', () => {
  test('the measured advantages have the maximum score', () => {
    for (const task of tasks) {
      const truth = judgeTruth(task);
      expect(truth.correlation.value).toBeCloseTo(1, 10);
      expect([truth.wrong.value, truth.silent.value]).toEqual([0, 0]);
      expect(truth.clear).toBeGreaterThan(10);
      const name = given(
        task,
        task.groups.map(({ truth: values }) => values.map(([value]) => value)),
      );
      expect(judgeRule(task, name)).toEqual({ score: truth });
    }
  });

  test('the score of a rule has the values and intervals of the table of true advantages', () => {
    for (const task of tasks) {
      const known = builtInRules(task).filter(
        (rule) => !Number.isNaN(judgeRule(task, rule).score?.correlation.value ?? NaN),
      );
      const [name] = known.slice(-1);
      const { score } = judgeRule(task, name);
      const rule = findRule(name);
      const steps = task.groups.flatMap(({ group, truth }, cluster) => {
        const { advantage } = rule.credit(group, runParameters(rule, task.controls, task.maxTurns));
        return truth.map(([mean, error], turn) => ({ cluster, truth: { mean, error }, advantages: [advantage[turn]] }));
      });
      const [complete] = agreements(steps, 1, task.seed);
      expect(score?.correlation.low).toBeCloseTo(complete.correlation.low, 9);
      expect(score?.correlation.high).toBeCloseTo(complete.correlation.high, 9);
      expect([score?.correlation.value, score?.wrong.value, score?.clear]).toEqual([
        complete.correlation.value,
        complete.wrong,
        complete.clear,
      ]);
    }
  });

  test('a score changes its sign with the advantages, and does not depend on their scale', () => {
    const [, , task] = tasks;
    const advantages = task.groups.map(({ truth }) => truth.map(([value]) => -3 * value));
    const { score } = judgeRule(task, given(task, advantages));
    if (!score) throw new Error('refused');
    expect(score.correlation.value).toBeCloseTo(-1, 10);
    expect([score.wrong.value, score.silent.value]).toEqual([1, 0]);
    expect(score.cosine.value).toBeCloseTo(-judgeTruth(task).cosine.value, 10);
  });

  test('a rule that compares outcomes has no correlation if all outcomes tie', () => {
    const { rules } = judgeTask(tasks[0], []);
    const match = rules.find(({ rule }) => rule === 'grpo-or');
    if (match?.rejection !== undefined || !match) throw new Error('refused');
    expect(match.score.correlation.value).toBeNaN();
    expect([match.score.silent.value, match.score.wrong.value, match.score.cosine.value]).toEqual([1, 0, 0]);
    expect(rules.some((result) => result.rejection === undefined && result.score.correlation.value > 0.2)).toBe(true);
  });

  test('a rule of trajectories has no score on trees, and the result contains the reason', () => {
    const result = judgeTask(tasks[1], ['mt-grpo']);
    expect(result.rules[0].rule).toBe('mt-grpo');
    expect(result.rules[0].rejection).toContain('needs trajectories');
    expect(result.rules.find(({ rule }) => rule === 'murphy-mers')?.rejection).toBeUndefined();
  });

  test('a custom rule that cannot read the groups is reported with the reason; other errors are thrown', async () => {
    const name = encodeCustomRule({ file: 'none.py', values: {}, source: '# none' });
    await computeCustomRule(tasks[0], name, () =>
      Promise.reject(new ForestError({ turn: 2, field: 'passed' }, 'is missing')),
    );
    expect(judgeRule(tasks[0], name)).toEqual({ rejection: 'turn 2, field "passed": is missing' });
    await expect(computeCustomRule(tasks[0], name, () => Promise.reject(new Error('endless')))).rejects.toThrow(
      'endless',
    );
  });
});

test('cosineOf computes the cosine of gradients from their inner products', () => {
  const gradients = [
    [1, 2, 0],
    [0, 1, -1],
    [3, 0, 1],
  ];
  const large = [1, 1, 1];
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, at) => sum + value * b[at], 0);
  const products = gradients.map((gradient, turn) =>
    gradients.slice(0, turn + 1).map((previous) => dot(gradient, previous)),
  );
  const along = gradients.map((gradient) => dot(gradient, large) / Math.hypot(...large));
  const sum = [0, 1, 2].map((at) => 2 * gradients[0][at] - gradients[2][at]);
  const expected = dot(sum, large) / Math.hypot(...sum) / Math.hypot(...large);
  expect(cosineOf({ products, along }, [2, Number.NaN, -1])).toBeCloseTo(expected, 12);
  expect(cosineOf({ products, along }, [0, 0, 0])).toBe(0);
});

test('meeting is the share of later turns in states that another rollout of the group visits', () => {
  const turn = (parent: number, state: string) => ({ parent, reward: 0, state });
  const turns = [turn(-1, 'a'), turn(0, 'b'), turn(1, 'c'), turn(-1, 'a'), turn(3, 'b'), turn(4, 'd')];
  expect(meeting({ id: 'g', turns })).toBe(0.5);
  expect(meeting({ id: 'g', turns: turns.slice(0, 3) })).toBe(0);
});
