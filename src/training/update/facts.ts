import type { Fact } from '../../environments/descriptor.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { type CountedMetric, countMetrics, type MetricRow } from '../../metrics/metric.ts';
import { metricsOfGroup } from '../../metrics/metricTable.ts';
import { alike, hasFact, largestFact, lastTurns, mean, meanFact, share } from '../../rollouts/counting.ts';
import type { Group, Turn } from '../../rollouts/forest.ts';
import type { RolloutBatch, RolloutTurn, Trajectory } from '../../rollouts/rolloutBatch.ts';
import type { EnvironmentName } from '../data/configuration.ts';

/** Numbers by the names of an environment's metrics; null where there was nothing to count. */
export type Facts = Readonly<Record<string, number | null>>;

/** What metrics of episodes read of a batch. */
type Episodes = Pick<RolloutBatch, 'trajectories'>;

type Counts<Batch> = Readonly<Record<string, CountedMetric<Batch>['count']>>;

/** Float32 rewards less their mean are seldom exactly 0. */
const ZERO = 1e-6;

const ofEpisodes =
  (fact: string) =>
  ({ trajectories }: Episodes) =>
    mean(trajectories.map((trajectory) => largestFact(trajectory, fact)));

const SEARCH = counted<Episodes>(metricsOfGroup('search'), {
  toolUse: ofEpisodes('toolUse'),
  retrieval: ofEpisodes('retrieval'),
  answer: ofEpisodes('answer'),
  format: ofEpisodes('format'),
  searches: ofEpisodes('searches'),
});

const REPAIR = counted<Pick<RolloutBatch, 'groups' | 'trajectories'>>(rowsOf(ENVIRONMENTS.repair.facts), {
  pass1: ({ trajectories }) => meanFact(programs(trajectories, 0), 'solved'),
  pass2: ({ trajectories }) => meanFact(programs(trajectories, 1), 'solved'),
  solved: ({ trajectories }) => share(trajectories, endsSolved),
  repaired: ({ trajectories }) => repaired(trajectories),
  passRate: ({ trajectories }) => meanFact(programs(trajectories, 0), 'passRate'),
  partial: ({ trajectories }) => meanFact(programs(trajectories, 0), 'partial'),
  syntaxErrors: ({ trajectories }) =>
    share(programs(trajectories), (turn) => hasFact(turn, 'syntaxError') || hasFact(turn, 'unfinished')),
  degenerate01: ({ groups, trajectories }) => share(groups, (_, group) => alike(trajectories, group, endsSolved)),
});

const REPO_EPISODES = counted<Episodes>(rowsOf(ENVIRONMENTS.repo.facts), {
  solved: ({ trajectories }) =>
    share(lastTurns(trajectories), ({ outcome = 0, facts }) => outcome > 0 && facts.finished > 0),
  steps: ({ trajectories }) => mean(trajectories.map(({ turns }) => turns.length)),
  finished: ({ trajectories }) => meanFact(lastTurns(trajectories), 'finished'),
  tested: ({ trajectories }) => meanFact(lastTurns(trajectories), 'tested'),
  edited: ({ trajectories }) => meanFact(lastTurns(trajectories), 'edited'),
  invalid: ({ trajectories }) =>
    meanFact(
      trajectories.flatMap(({ turns }) => turns),
      'invalid',
    ),
});

const REPO_GROUPS = counted<RolloutBatch>(rowsOf(ENVIRONMENTS.repo.facts), {
  zeroAdvantage: (batch, advantages) =>
    share(advantagesOfMixedGroups(batch, advantages), (advantage) => Math.abs(advantage) <= ZERO),
  sharedStates: ({ groups }) => sharedStates(groups),
  uniform: ({ groups, trajectories }) =>
    share(groups, (_, group) => alike(trajectories, group, ({ turns }) => turns.at(-1)?.outcome)),
});

/** The metrics that an environment alone has, in the order in which files hold them. */
export const ENVIRONMENT_METRICS: Readonly<Record<EnvironmentName, readonly CountedMetric<RolloutBatch>[]>> = {
  search: SEARCH,
  repair: REPAIR,
  repo: [...REPO_EPISODES, ...REPO_GROUPS],
};

/** How episodes of the search environment went. */
export function searchEpisodes(batch: Episodes): Facts {
  return countMetrics(SEARCH, batch, NO_ADVANTAGES);
}

/** How episodes of the repository environment went, whatever credit they got. */
export function repoEpisodes(trajectories: readonly Trajectory[]): Facts {
  return countMetrics(REPO_EPISODES, { trajectories }, NO_ADVANTAGES);
}

/** Metrics of episodes read no credit. */
const NO_ADVANTAGES = new Float32Array();

/** @throws {Error} for a count without a row */
function counted<Batch>(rows: readonly MetricRow[], counts: Counts<Batch>): CountedMetric<Batch>[] {
  return Object.entries(counts).map(([name, count]) => {
    const row = rows.find((candidate) => candidate.name === name);
    if (!row) throw new Error(`the metric "${name}" is counted, and no row says what it is`);
    return { ...row, count };
  });
}

/** The rows of an environment's table. */
function rowsOf(facts: readonly Fact[]): MetricRow[] {
  return facts.map(({ name, label, format, help }) => {
    return { name, label, unit: format, group: 'environment', kind: 'nullable', help };
  });
}

/** Programs of trajectories, each once: all of them, or those at a place. */
function programs(trajectories: readonly Trajectory[], place?: number): RolloutTurn[] {
  const at = ({ turns }: Trajectory) => (place === undefined ? turns : turns.slice(place, place + 1));
  return [...new Set(trajectories.flatMap(at))];
}

function endsSolved({ turns }: Trajectory): boolean {
  return hasFact(turns.at(-1), 'solved');
}

/** Share of failed first programs with later ones that one of these makes good. */
function repaired(trajectories: readonly Trajectory[]): number | null {
  const failed = trajectories.filter(({ turns }) => !hasFact(turns[0], 'solved'));
  const good = new Set(failed.filter(endsSolved).map(({ turns }) => turns[0]));
  const tried = new Set(failed.filter(({ turns }) => turns.length > 1).map(({ turns }) => turns[0]));
  return tried.size === 0 ? null : good.size / tried.size;
}

/** Advantages of the turns of groups whose episodes did not all end with the same outcome. */
function advantagesOfMixedGroups({ groups, forest, trajectories }: RolloutBatch, advantages: Float32Array): number[] {
  return groups.flatMap((_, group) =>
    alike(trajectories, group, ({ turns }) => turns.at(-1)?.outcome)
      ? []
      : [...advantages.subarray(forest.groupOffset[group], forest.groupOffset[group + 1])],
  );
}

/** Share of turns in states that two or more trajectories of their group came by. */
function sharedStates(groups: readonly Group[]): number | null {
  const shared = groups.flatMap(({ turns }) => {
    const root = rootsOf(turns);
    const visitors = new Map<string, Set<number>>();
    turns.forEach(({ state = '' }, turn) => {
      visitors.set(state, (visitors.get(state) ?? new Set()).add(root[turn]));
    });
    return turns.map(({ state = '' }) => (visitors.get(state)?.size ?? 0) > 1);
  });
  return share(shared, (is) => is);
}

/** [turns] the first turn of each turn's trajectory. */
function rootsOf(turns: readonly Turn[]): number[] {
  const roots: number[] = [];
  turns.forEach(({ parent }, turn) => {
    roots.push(parent < 0 ? turn : roots[parent]);
  });
  return roots;
}
