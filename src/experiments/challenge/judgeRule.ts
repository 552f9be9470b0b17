import { ruleLabel } from '../../credit/ruleFacts.ts';
import { saveResult } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import { square } from '../../numbers/exponential.ts';
import { ForestError, type Group } from '../../rollouts/forest.ts';
import { OFFERED } from '../../training/data/configurationTables.ts';
import type { Interval } from '../../training/data/truthReport.ts';
import { runParameters } from '../../training/update/planUpdate.ts';
import { bootstrap, DRAWS, interval } from '../inference/inference.ts';
import { mean } from '../statistics.ts';
import { agreements, type Step } from '../truth/trueAdvantages.ts';
import type { ChallengeGroup, ChallengeTask, TaskName } from './challengeTask.ts';

/** Agreement of a rule's advantages with the measured advantages of a task. The 95 % intervals resample groups. */
export interface Score {
  /** Pearson correlation over the turns of all groups; NaN if the advantages of the rule do not vary. */
  readonly correlation: Interval;
  /**
   * Share of the clear turns whose advantage has the wrong sign. A turn is clear if the sign of its true advantage is
   * known.
   */
  readonly wrong: Interval;
  readonly silent: Interval;
  readonly clear: number;
  /** Mean cosine of a group's gradient with the gradient of the large batch. It is 0 for a group without advantages. */
  readonly cosine: Interval;
}

/** Score of a rule in a task, or the reason why the rule has no score. */
export type ScoreResult =
  | { readonly score: Score; readonly rejection?: undefined }
  | { readonly score?: undefined; readonly rejection: string };

/** Returns the built-in rules that the environment offers and that require no critic. */
export function builtInRules({ environment }: Pick<ChallengeTask, 'environment'>): readonly string[] {
  return OFFERED[environment].filter((name) => findRule(name).unit === 'turn');
}

/**
 * Compares a rule with the measured advantages. A custom rule must already have been computed on the groups.
 * @returns the reason for a missing score if the rule cannot read the groups
 */
export function judgeRule(task: ChallengeTask, name: string): ScoreResult {
  try {
    const rule = findRule(name);
    const parameters = runParameters(rule, task.controls, task.maxTurns);
    return {
      score: score(
        task,
        task.groups.map(({ group }) => rule.credit(group, parameters).advantage),
      ),
    };
  } catch (error) {
    if (!(error instanceof ForestError)) throw error;
    return { rejection: new ForestError({ turn: error.turn, field: error.field }, error.problem).message };
  }
}

/** Scores the measured advantages themselves, as an upper bound for rules. */
export function judgeTruth(task: ChallengeTask): Score {
  return score(
    task,
    task.groups.map(({ truth }) => truth.map(([value]) => value)),
  );
}

/** @param advantages [groups][turns] NaN for pruned turns */
function score(task: ChallengeTask, advantages: readonly ArrayLike<number>[]): Score {
  const steps = task.groups.map(({ truth }, cluster) =>
    truth.map(([value, error], turn): Step => {
      const given = [advantages[cluster][turn]];
      return { cluster, truth: { mean: value, error }, advantages: given };
    }),
  );
  const [overall] = agreements(steps.flat(), 1, task.seed, 0);
  const [ruleMean, trueMean] = [meanOf(steps.flat(), readAdvantage), meanOf(steps.flat(), ({ truth }) => truth.mean)];
  const sums = steps.map((groupSteps) => sumsOf(groupSteps, ruleMean, trueMean));
  const cosines = task.groups.map((group, index) => cosineOf(group, advantages[index]));
  const statistics = (members: readonly number[]) => [
    ...sharesOf(members.map((member) => sums[member])),
    mean(members.map((member) => cosines[member])),
  ];
  const drawn = bootstrap([...task.groups.keys()], DRAWS, task.seed, statistics);
  const column = (at: number) => drawn.map((row) => row[at]);
  return {
    correlation: interval(overall.correlation.value, column(0)),
    wrong: interval(overall.wrong, column(1)),
    silent: interval(overall.silent, column(2)),
    clear: overall.clear,
    cosine: interval(mean(cosines), column(3)),
  };
}

const readAdvantage = ({ advantages: [advantageValue] }: Step) => advantageValue;

function meanOf(steps: readonly Step[], of: (step: Step) => number): number {
  return mean(steps.filter((step) => !Number.isNaN(readAdvantage(step))).map(of));
}

/**
 * Sums of a group that suffice to recompute the score for resampled groups. The moments are about the overall means,
 * which prevents cancellation.
 */
interface Sums {
  readonly moments: readonly [count: number, x: number, y: number, xx: number, xy: number, yy: number];
  readonly signs: readonly [clear: number, wrong: number, silent: number];
}

function sumsOf(steps: readonly Step[], ruleMean: number, trueMean: number): Sums {
  const known = steps.filter((step) => !Number.isNaN(readAdvantage(step)));
  const pairs = known.map((step) => [readAdvantage(step) - ruleMean, step.truth.mean - trueMean] as const);
  const sum = (of: (x: number, y: number) => number) => pairs.reduce((all, [x, y]) => all + of(x, y), 0);
  const [{ clear, wrong, silent }] = agreements(steps, 1, 0, 0);
  const share = (part: number) => (clear > 0 ? part * clear : 0);
  return {
    moments: [
      known.length,
      sum((x) => x),
      sum((_, y) => y),
      sum((x) => x * x),
      sum((x, y) => x * y),
      sum((_, y) => y * y),
    ],
    signs: [clear, share(wrong), share(silent)],
  };
}

/** Sum of squared deviations below which advantages do not vary. trueAdvantages.ts uses the same bound. */
const ZERO = 1e-18;

/** Computes the correlation, and the shares of the clear turns, over resampled groups. */
function sharesOf(drawn: readonly Sums[]): readonly [correlation: number, wrong: number, silent: number] {
  const total = (of: (sums: Sums) => number) => drawn.reduce((all, sums) => all + of(sums), 0);
  const [count, x, y, xx, xy, yy] = [0, 1, 2, 3, 4, 5].map((at) => total(({ moments }) => moments[at]));
  const [clear, wrong, zeroCount] = [0, 1, 2].map((at) => total(({ signs }) => signs[at]));
  const [sx, sy] = [xx - (x * x) / count, yy - (y * y) / count];
  const correlation = sx > ZERO && sy > ZERO ? (xy - (x * y) / count) / Math.sqrt(sx * sy) : NaN;
  return [correlation, wrong / clear, zeroCount / clear];
}

/**
 * Computes the cosine of a group's gradient under these advantages with that of the large batch; 0 without a gradient.
 */
export function cosineOf(
  { products, along }: Pick<ChallengeGroup, 'products' | 'along'>,
  advantage: ArrayLike<number>,
): number {
  const values = Array.from(advantage, (value) => (Number.isNaN(value) ? 0 : value));
  let [ahead, length] = [0, 0];
  for (let turn = 0; turn < values.length; turn++) {
    ahead += values[turn] * along[turn];
    for (let previous = 0; previous < turn; previous++)
      length += 2 * values[turn] * values[previous] * products[turn][previous];
    length += square(values[turn]) * products[turn][turn];
  }
  return length > 0 ? ahead / Math.sqrt(length) : 0;
}

/** Scores of rules in a task. */
export interface ScoredTask {
  readonly task: TaskName;
  readonly groups: number;
  readonly turns: number;
  /** Results by display name (ruleLabel), which distinguishes custom rules. */
  readonly rules: readonly ({ readonly rule: string } & ScoreResult)[];
  readonly truth: Score;
}

/** Scores the requested rules and all other built-in rules in a task. */
export function judgeTask(task: ChallengeTask, requested: readonly string[]): ScoredTask {
  const rules = [...new Set([...requested, ...builtInRules(task)])];
  return {
    task: task.name,
    groups: task.groups.length,
    turns: task.groups.reduce((sum, { truth }) => sum + truth.length, 0),
    rules: rules.map((rule) => ({ rule: ruleLabel(rule), ...judgeRule(task, rule) })),
    truth: judgeTruth(task),
  };
}

/**
 * Computes a custom rule on the groups of a task. If the rule cannot read the groups, `judgeRule` reports the reason.
 * @param work function that computes a rule on groups, from CustomRules
 * @throws any other error of the rule
 */
export async function computeCustomRule(
  { groups }: ChallengeTask,
  name: string,
  work: (name: string, groups: readonly Group[]) => Promise<void> | undefined,
): Promise<void> {
  try {
    await work(
      name,
      groups.map(({ group }) => group),
    );
  } catch (error) {
    if (!(error instanceof ForestError)) throw error;
    for (const { group } of groups) saveResult(name, group, error);
  }
}
