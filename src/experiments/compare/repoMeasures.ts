import type { CreditRule } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { type Group, trajectories } from '../../rollouts/forest.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { runParameters } from '../../training/update/tokenAdvantages.ts';

// Figures that are reported of agents in addition to pass@1: votes of several episodes, and steps that two rules reward
// with different signs.

/**
 * Chance that most of `votes` episodes are solved, drawn without replacement from `samples` of which `solved` are: the
 * mean over all choices of so many. @param votes odd, at most `samples`
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

/** n over k; 0 where k is more than n. */
function choices(n: number, k: number): number {
  let product = 1;
  for (let at = 0; at < k; at++) product *= (n - at) / (at + 1);
  return product;
}

/**
 * Numbers of steps that one rule rewards with a different sign than the other rule, among the steps of successes and of
 * failures.
 */
export interface SignChanges {
  readonly successSteps: number;
  /** Steps of successes that the one rewards and the other punishes. */
  readonly penalised: number;
  readonly failureSteps: number;
  /** Steps of failures that the one punishes and the other rewards. */
  readonly rescued: number;
}

/** Advantages this close to 0 have no sign: what float64 leaves of equal rewards less their mean. */
const ZERO = 1e-9;

/**
 * Counts the steps of groups by the signs that two rules give them. A rollout is a success if its last turn is solved.
 * @param first rule to compare with
 * @param second rule that turns signs
 * @throws {CreditError} for a group that one of the rules cannot read
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

/** Keys of the draws of such groups: those of no evaluation. */
const TASK_KEY = 0xf0000000;
const ROLLOUT_KEY = 0x0fe00000;

/**
 * Samples groups of training tasks with the present policy, and counts the steps that RTMC pays with another sign than
 * GRPO with rewards of steps does, both with the parameters of the run.
 * @param count groups, of as many rollouts as the run's
 * @returns shares; null where there are no such steps
 */
export async function quadrants(
  trainer: Pick<Trainer, 'environment' | 'seed' | 'capacityFor' | 'play' | 'controls'>,
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
