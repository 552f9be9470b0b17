import type { CreditRule } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import { countEpisodes, type Facts } from '../../environments/fact.ts';
import { passAtK } from '../../environments/repair/evaluation.ts';
import type { RepoEnvironment } from '../../environments/repo/open.ts';
import { REPO_FACTS } from '../../environments/repo/repoFacts.ts';
import { GRANULARITIES, type Granularity } from '../../environments/repo/repoSettings.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { type Group, trajectories } from '../../rollouts/forest.ts';
import type { Interval } from '../../training/data/truthReport.ts';
import type { Measurer } from '../../training/run/measurer.ts';
import { runParameters } from '../../training/update/planUpdate.ts';
import { bootstrapIntervals } from '../inference/inference.ts';
import {
  bySample,
  type EpisodeSampler,
  type EvaluationCounts,
  type HeldOutOptions,
  STRATA_RUN,
  STRATA_SEED,
  type Strata,
  sampleAll,
  stratumOf,
} from './heldOut.ts';

// Evaluation in the repository environment: pass@1, majorities of several episodes, states that rollouts share, and steps
// to which two rules assign advantages of opposite signs.

/** Results of the episodes of all problems. */
interface RepoEvaluation {
  /** Pass@1 and the facts of the environment. */
  readonly rates: EvaluationCounts & Facts;
  /**
   * [problems][samples] episodes; absent if the evaluation was stopped before each problem was sampled `samples` times.
   */
  readonly problems?: readonly (readonly { readonly group: Group; readonly solved: boolean }[])[];
}

export async function evaluateRepo(trainer: EpisodeSampler, options: HeldOutOptions): Promise<RepoEvaluation> {
  const environment = trainer.environment as unknown as RepoEnvironment;
  const { heldOut, training } = environment.problems;
  const pool = (options.split === 'held-out' ? heldOut : training).slice(0, options.tasks);
  const batches = await sampleAll(trainer, pool, options, 1, () => ({}));
  const trajectories = batches.flatMap((batch) => batch.trajectories);
  const rates = {
    ...{ tasks: pool.length, episodes: trajectories.length },
    ...countEpisodes(REPO_FACTS, { trajectories }),
  };
  if (rates.episodes < pool.length * options.samples) return { rates };
  const groups = batches.flatMap((batch) => batch.groups);
  const episodes = trajectories.map(({ turns }, index) => {
    const { outcome = 0, facts } = turns[turns.length - 1];
    return { group: groups[index], solved: outcome > 0 && facts.finished > 0 };
  });
  return { rates, problems: bySample(episodes, pool.length) };
}

/**
 * Determines the difficulty of the problems for the initial policy, by position in the split. The draws are separate
 * from all runs.
 * @returns undefined if the evaluation was stopped
 */
export async function problemDifficulties(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
): Promise<Strata | undefined> {
  const { problems } = await evaluateRepo(trainer, { ...options, run: STRATA_RUN, seed: STRATA_SEED });
  return (
    problems &&
    new Map(
      problems.map((episodes, problem) => [
        problem,
        stratumOf(episodes.filter(({ solved }) => solved).length / episodes.length),
      ]),
    )
  );
}

/** Share of the steps whose state is visited by at least two rollouts of a group. */
export interface SharingReport {
  readonly problems: number;
  /** Number of rollouts per problem. */
  readonly rollouts: number;
  readonly steps: number;
  /** Group sizes, in the order of the shares. */
  readonly sizes: readonly number[];
  /** [sizes] shares for each granularity; the intervals resample problems. */
  readonly shares: Readonly<Record<Granularity, readonly Interval[]>>;
}

/** [rollouts][steps] state before each step of the rollouts of one problem. */
export type States = readonly (readonly string[])[];

/**
 * Computes the mean number of shared steps over all groups of each size that can be drawn from the rollouts of a
 * problem. Let v of the N rollouts visit the state of a step. The step is shared if one of the other v - 1 rollouts is
 * among the other G - 1 members of its group. The probability is 1 - C(N - v, G - 1) / C(N - 1, G - 1).
 * @param sizes group sizes G, from 2 to N
 * @returns [sizes] expected number of shared steps among all steps of the N rollouts
 */
export function sharedSteps(states: States, sizes: readonly number[]): number[] {
  const visitors = new Map<string, number>();
  for (const path of states) for (const state of new Set(path)) visitors.set(state, (visitors.get(state) ?? 0) + 1);
  const visitCounts = states.flat().map((state) => (visitors.get(state) ?? 0) - 1);
  return sizes.map((size) => visitCounts.reduce((sum, met) => sum + passAtK(states.length - 1, met, size - 1), 0));
}

/**
 * Computes the share of shared steps over all problems, at each granularity of the repository environment.
 * @param problems [problems][rollouts] groups of one rollout; all problems have the same number, at least the largest
 * size
 */
export function sharing(
  problems: readonly (readonly Group[])[],
  sizes: readonly number[],
  seed: number,
): SharingReport {
  const steps = problems.map((groups) => groups.reduce((all, { turns }) => all + turns.length, 0));
  const sum = (members: readonly number[], of: readonly number[]) =>
    members.reduce((all, member) => all + of[member], 0);
  const shares = {} as Record<Granularity, readonly Interval[]>;
  for (const granularity of GRANULARITIES) {
    const shared = problems.map((groups) =>
      sharedSteps(
        groups.map((group) => statesAt(group, granularity)),
        sizes,
      ),
    );
    const bySize = sizes.map((_, size) => shared.map((counts) => counts[size]));
    const over = (members: readonly number[]) => {
      const all = sum(members, steps);
      return bySize.map((counts) => sum(members, counts) / all);
    };
    shares[granularity] = bootstrapIntervals([...problems.keys()], seed, over);
  }
  return {
    problems: problems.length,
    rollouts: problems[0]?.length ?? 0,
    steps: sum([...problems.keys()], steps),
    sizes,
    shares,
  };
}

/** @throws {RangeError} if a turn has no state at this granularity */
function statesAt({ id, turns }: Group, granularity: Granularity): readonly string[] {
  return turns.map(({ states }, turn) => {
    const state = states?.[granularity];
    if (state === undefined) throw new RangeError(`group "${id}", turn ${turn}: there is no state "${granularity}"`);
    return state;
  });
}

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
