import type { CreditRule } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { type Group, trajectories } from '../../rollouts/forest.ts';
import type { Measurer } from '../../training/run/measurer.ts';
import { runParameters } from '../../training/update/planUpdate.ts';

// Measurements of agents in addition to pass@1: majorities of several episodes, and steps to which two rules assign
// advantages of opposite signs.

/**
 * Computes the probability that the majority of `votes` episodes are solved. The episodes are drawn without replacement
 * from `samples` episodes, of which `solved` are solved.
 * @param votes odd number, at most `samples`
 * @throws {RangeError} for an even or too large number of votes
 */
export function majorityOf(samples: number, solved: number, votes: number): number {
  if (votes % 2 === 0 || votes > samples) {
    throw new RangeError(
      `no majority of ${votes} among ${samples} episodes: use an odd number, at most the number of episodes`,
    );
  }
  let sum = 0;
  for (let right = Math.ceil(votes / 2); right <= votes; right++)
    sum += choices(solved, right) * choices(samples - solved, votes - right);
  return sum / choices(samples, votes);
}

/** Computes the binomial coefficient of n and k; 0 if k exceeds n. */
function choices(n: number, k: number): number {
  let product = 1;
  for (let at = 0; at < k; at++) product *= (n - at) / (at + 1);
  return product;
}

/**
 * Number of steps to which two rules assign advantages of opposite signs, among the steps of successes and of failures.
 */
export interface SignChanges {
  readonly successSteps: number;
  /** Steps of successes with a positive advantage under the first rule and a negative advantage under the second. */
  readonly penalised: number;
  readonly failureSteps: number;
  /** Steps of failures with a negative advantage under the first rule and a positive advantage under the second. */
  readonly rescued: number;
}

/**
 * Absolute advantage below which the sign is undefined. Equal rewards minus their mean are not exactly 0 in float64.
 */
const ZERO = 1e-9;

/**
 * Counts the steps of groups by their signs under two rules. A rollout is a success if its last turn is solved.
 * @param first advantages under the reference rule
 * @param second advantages under the rule that is compared with it
 * @throws {CreditError} if one of the rules cannot read a group
 */
export function signChanges(
  groups: readonly Group[],
  first: (group: Group) => ArrayLike<number>,
  second: (group: Group) => ArrayLike<number>,
): SignChanges {
  const count = { successSteps: 0, penalised: 0, failureSteps: 0, rescued: 0 };
  for (const group of groups) {
    const [before, after] = [first(group), second(group)];
    for (const turns of trajectories(group)) {
      const success = group.turns[turns[turns.length - 1]].solved === true;
      const changed = turns.filter((turn) =>
        success ? before[turn] > ZERO && after[turn] < -ZERO : before[turn] < -ZERO && after[turn] > ZERO,
      ).length;
      count[success ? 'successSteps' : 'failureSteps'] += turns.length;
      count[success ? 'penalised' : 'rescued'] += changed;
    }
  }
  return count;
}

/** Keys of the draws of these groups, which no evaluation uses. */
const TASK_KEY = 0xf0000000;
const ROLLOUT_KEY = 0x0fe00000;

/**
 * Samples groups of training tasks with the current policy. Counts the steps whose advantages have opposite signs under
 * RTMC and under GRPO with step rewards. Both rules have the parameters of the run.
 * @param count number of groups; their size is the group size of the run
 * @returns shares of the steps of successes and failures; null if there are no such steps
 */
export async function quadrants(
  trainer: Pick<Measurer, 'environment' | 'seed' | 'capacityFor' | 'play' | 'controls'>,
  count: number,
  signal?: AbortSignal,
): Promise<{ readonly penalised: number | null; readonly rescued: number | null }> {
  const { environment, controls, seed } = trainer;
  const size = controls.groupSize as number;
  const capacity = Math.max(1, Math.floor(trainer.capacityFor() / size));
  const random = new CounterRandom(seed, STREAMS.evaluation, TASK_KEY);
  const tasks = environment.sampleTasks(random, count, 'train');
  const sum = { successSteps: 0, penalised: 0, failureSteps: 0, rescued: 0 };
  for (let first = 0; first < count && !signal?.aborted; first += capacity) {
    const now = tasks.slice(first, first + capacity);
    const { groups } = await trainer.play(now, ROLLOUT_KEY + first, { branching: [size, 1] });
    if (groups.length < now.length) throw new Error(`${now.length} groups of ${size} did not fit one batch`);
    const of = (name: string) => advantagesBy(findRule(name), controls, environment.maxTurns);
    const changes = signChanges(groups, of('grpo-step'), of('rtmc'));
    for (const name of Object.keys(sum) as (keyof SignChanges)[]) sum[name] += changes[name];
  }
  const share = (part: number, of: number) => (of === 0 ? null : part / of);
  return { penalised: share(sum.penalised, sum.successSteps), rescued: share(sum.rescued, sum.failureSteps) };
}

function advantagesBy(rule: CreditRule, controls: ParameterValues, maxTurns: number) {
  const parameters = runParameters(rule, controls, maxTurns);
  return (group: Group) => rule.credit(group, parameters).advantage;
}
