import { ParameterError } from '../../parameters/parameters.ts';
import { CounterRandom } from '../../random/counter.ts';
import type { ProblemGenerator } from '../environment.ts';
import { DEMONSTRATOR_BEHAVIOURS, type Demonstrated, demonstrate } from './demonstrations.ts';
import { createRepoEnvironment, type RepoEnvironment } from './open.ts';
import { GRANULARITIES, type Granularity, repoControls } from './repoSettings.ts';
import { HELD_OUT, loadProblems, pick, recordProblems, recordsText, TRAINING } from './repoTasks.ts';

/** Measurements of scripted episodes. */
export interface EpisodeMeasures {
  /** Share of solved episodes. */
  readonly solved: number;
  /** Share of episodes that run the tests after the last edit and then finish. */
  readonly tested: number;
  /** Share of invalid actions. */
  readonly invalid: number;
  readonly meanSteps: number;
  /** Mean number of tokens per episode, including the prompt and the replies. */
  readonly meanTokens: number;
  readonly longest: number;
}

/** Measurements of the problems and the demonstrations before any training. */
export interface RepoMeasures {
  readonly problems: number;
  /** Share of problems with two bugs. */
  readonly twoBugs: number;
  /** Share of problems whose issue names `app`. */
  readonly issuesOfApp: number;
  readonly clean: EpisodeMeasures;
  readonly noisy: EpisodeMeasures;
  /** Share of steps in a state that another of eight noisy episodes of the problem visited, by granularity. */
  readonly sharedSteps: Readonly<Record<Granularity, number>>;
}

const GROUP = 8;
/** Random stream that only these draws use. */
const STREAM = 0x72657073;

/**
 * Measures problems and demonstrations.
 * @param episodes number of episodes of each kind, on training problems
 */
export async function measureRepositories(environment: RepoEnvironment, episodes = 2000): Promise<RepoMeasures> {
  const { problems, runner, settings, maxTurns } = environment;
  const { clean, noisy } = DEMONSTRATOR_BEHAVIOURS[settings.bugs];
  const all = [...problems.training, ...problems.heldOut];
  const draws = (number: number) => new CounterRandom(settings.warmSeed, STREAM, number);
  const kind = async (conventions: typeof clean, first: number) =>
    episodeMeasures(
      await Promise.all(
        Array.from({ length: episodes }, (_, index) => {
          const random = draws(first + index);
          return demonstrate(pick(random, problems.training), runner, conventions, maxTurns, random);
        }),
      ),
    );
  const shared = async (granularity: Granularity) => {
    const group = (index: number) => {
      const problem = problems.training[index % problems.training.length];
      const controls = repoControls({ granularity });
      return Promise.all(
        Array.from({ length: GROUP }, (_, member) =>
          demonstrate(problem, runner, noisy, maxTurns, draws(2 * episodes + index * GROUP + member), controls),
        ),
      );
    };
    const groups = await Promise.all(Array.from({ length: Math.ceil(episodes / GROUP) }, (_, index) => group(index)));
    return mean(groups, sharedShare);
  };
  const sharedSteps: Partial<Record<Granularity, number>> = {};
  for (const granularity of GRANULARITIES) sharedSteps[granularity] = await shared(granularity);
  return {
    problems: all.length,
    twoBugs: mean(all, ({ bugs }) => Number(bugs.length === 2)),
    issuesOfApp: mean(all, ({ issue }) => Number(issue.name === 'app')),
    clean: await kind(clean, 0),
    noisy: await kind(noisy, episodes),
    sharedSteps: sharedSteps as Record<Granularity, number>,
  };
}

function episodeMeasures(samples: readonly Demonstrated[]): EpisodeMeasures {
  const meanSteps = mean(samples, ({ results }) => results.length);
  return {
    solved: mean(samples, ({ results }) => Number(results.at(-1)?.solved)),
    tested: mean(samples, ({ results }) => results.at(-1)?.facts.tested ?? 0),
    invalid: mean(samples, ({ results }) => results.filter(({ facts }) => facts.invalid === 1).length) / meanSteps,
    meanSteps,
    meanTokens: mean(samples, ({ tokens }) => tokens.length),
    longest: Math.max(...samples.map(({ tokens }) => tokens.length)),
  };
}

/** Returns the share of a group's steps in a state that another rollout of the group visited, too. */
function sharedShare(group: readonly Demonstrated[]): number {
  const visitors = new Map<string, Set<number>>();
  group.forEach(({ results }, member) => {
    for (const { state = '' } of results) visitors.set(state, (visitors.get(state) ?? new Set()).add(member));
  });
  const steps = group.flatMap(({ results }) => results);
  return mean(steps, ({ state = '' }) => Number((visitors.get(state)?.size ?? 0) > 1));
}

function mean<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0) / items.length;
}

/** Problem generator of the repository environment, for both kinds of problems. */
export const problemGenerator: ProblemGenerator = {
  async record(execute, seed, progress) {
    const each = TRAINING + HELD_OUT;
    const createRecords = (bugs: 'one' | 'two', before: number) =>
      recordProblems(execute, bugs, { seed, progress: (done) => progress(before + done, 2 * each) });
    const records = { one: await createRecords('one', 0), two: await createRecords('two', each) };
    return { file: recordsText(records), count: records.one.length + records.two.length };
  },
  /**
   * Measures both kinds of problems.
   * @throws {ParameterError} for any setting, because none selects a kind here
   */
  async measure(execute, settings) {
    const [unknown] = Object.keys(settings);
    if (unknown !== undefined)
      throw new ParameterError(unknown, `--${unknown}: not a setting of the repository environment`);
    const measure = async (bugs: 'one' | 'two') =>
      measureRepositories(createRepoEnvironment({ bugs }, { execute, problems: await loadProblems(bugs) }));
    return { one: await measure('one'), two: await measure('two') };
  },
};
