import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Environment, EnvironmentModule } from '../environment.ts';
import { warmStartStages } from './demonstrations.ts';
import { SearchEpisode } from './episode.ts';
import { judgeOf, ScoredEpisode } from './judge.ts';
import {
  ANSWER_LIMIT,
  CALL_LIMIT,
  contextLength,
  factsPerDocument,
  rewardWeights,
  SEARCH_REWARDS,
  type SearchSettings,
  searchSettings,
} from './searchSettings.ts';
import {
  DECISION_TOKENS,
  decisionIndex,
  FIRST_ENTITY,
  FIRST_FILLER,
  FIRST_RELATION,
  formatSearchTokens,
  MARKUP,
  STOP_TOKENS,
} from './vocabulary.ts';
import { createWorld, questionOf, type SearchTask, type World } from './world.ts';

/** Search environment with its settings and world. */
export interface SearchEnvironment extends Environment<SearchTask> {
  readonly settings: SearchSettings;
  readonly world: World;
  /** Tokens that decide in turn 1 to search, to skip the tool, or to answer. */
  readonly decisionTokens: { readonly search: number; readonly skip: number; readonly answer: number };
}

/**
 * Creates a synthetic world of questions, in which an agent can call a retriever before it answers.
 *
 * @param values values of SEARCH_SETTINGS; missing ones take their default
 * @throws {ParameterError} for a setting that the table does not allow
 * @example
 * const environment = createSearchEnvironment({ knownShare: 0.4 });
 * const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
 * const episode = environment.begin(task, defaults(environment.controls));
 */
export function createSearchEnvironment(values: ParameterValues = {}): SearchEnvironment {
  const settings = searchSettings(values);
  const { maxTurns } = settings;
  const world = createWorld({ ...settings, factsPerDocument: factsPerDocument(maxTurns) });
  const judge = judgeOf(world, maxTurns);

  return {
    name: 'search',
    vocabulary: world.vocabulary,
    context: contextLength(settings),
    maxTurns,
    stopTokens: STOP_TOKENS,
    controls: SEARCH_REWARDS,
    settings,
    world,
    warmStart: warmStartStages(world, settings),
    decisionTokens: DECISION_TOKENS,
    decision: { token: DECISION_TOKENS.search, index: decisionIndex },
    turnLimit: (turn) => (turn === maxTurns - 1 ? ANSWER_LIMIT : CALL_LIMIT),
    sampleTasks(random, count, split) {
      const facts = split === 'train' ? world.train : world.heldOut;
      return Array.from({ length: count }, () => world.tasks[facts[random.integer(facts.length)]]);
    },
    describe: ({ entity, path }) => {
      const relations = path.map(({ relation }) => formatSearchTokens([FIRST_RELATION + relation], world.vocabulary));
      return `${formatSearchTokens([FIRST_ENTITY + entity])}: ${relations.join(', ')}?`;
    },
    outcomeRange: (controls) => {
      const weights = rewardWeights(controls);
      const outcomes = [weights.outcomeRight, weights.outcomeWrong, weights.outcomeMalformed];
      return { bestOutcome: Math.max(...outcomes), worstOutcome: Math.min(...outcomes) };
    },
    prompt: questionOf,
    answer: (task) => ({
      lead: [MARKUP.think, FIRST_FILLER, MARKUP.thinkEnd, MARKUP.answer],
      tokens: [task.answer],
    }),
    learnedReward: judge,
    begin(task, controls) {
      const episode = new SearchEpisode(world, task, maxTurns, rewardWeights(controls));
      return judge.judgeIn(controls) ? new ScoredEpisode(episode) : episode;
    },
  };
}

/** Module that constructs the search environment from its settings. It loads no data. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) => createSearchEnvironment(settings),
};
