import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom } from '../../random/counter.ts';
import {
  appendRewardToSummary,
  type CustomTasks,
  type Environment,
  type EnvironmentModule,
  type Network,
  RELIABLE,
  type Reading,
  type Reliability,
  type StepResult,
  type Vocabulary,
  type WrittenTurn,
} from '../environment.ts';
import { cachedTaskSets, type Execute } from '../shared/execution.ts';
import { warmStartStage } from './demonstrations.ts';
import { type EpisodeSetup, RepairEpisode, VerifyingEpisode } from './episode.ts';
import { ProgramRunner } from './programRunner.ts';
import { readTurn } from './reflection.ts';
import {
  contextOf,
  REPAIR_CONTROLS,
  type RepairSettings,
  repairControls,
  repairSettings,
  turnsOf,
  turnTokenLimit,
} from './repairSettings.ts';
import { loadProblems, type Problem, questionText, type RepairTask, readProblems } from './repairTasks.ts';
import { TaskError } from './taskError.ts';
import { END, REFLECTING_VOCABULARY, REPAIR_VOCABULARY, VERIFYING_VOCABULARY } from './vocabulary.ts';

// Rewards of programs by a learned reward model, in place of their tests.

/** Returns the reliability of the reward model if turns or outcomes use it; undefined otherwise. */
export function selectRewardModel(controls: ParameterValues): Reliability | undefined {
  const { turnReward, outcomeReward } = repairControls(controls);
  return turnReward === 'model' || outcomeReward === 'model' ? RELIABLE : undefined;
}

/**
 * Returns the input of the model: the prompt of the task and the program. It has no tests, feedback or reflection, so
 * the model reads an attempt as if it were a first program.
 */
export function readsOf({ task, written }: WrittenTurn<RepairTask>): Reading {
  return { tokens: [...task.prompt, ...readTurn(written).program] };
}

/** Returns the share of all tests that a program passes, including hidden tests. */
export function scoreOf({ stepResult: { passed = [] } }: WrittenTurn<RepairTask>): number {
  return passed.reduce((sum, value) => sum + value, 0) / passed.length;
}

/**
 * Returns the step result with the model's reward if the controls select it. The facts about passed tests are
 * unchanged.
 */
export function payByModel(result: StepResult, reward: number, controls: ParameterValues): StepResult {
  const { turnReward, outcomeReward } = repairControls(controls);
  const ends = result.outcome !== undefined;
  const stepReward = turnReward === 'model' ? reward : result.reward;
  const outcome = ends && outcomeReward === 'model' ? reward : result.outcome;
  return {
    ...result,
    reward: stepReward,
    ...(outcome === undefined ? {} : { outcome }),
    components: { turn: ends ? 0 : stepReward, outcome: outcome ?? 0 },
    facts: { ...result.facts, modelReward: reward },
    ...(result.detail ? { detail: { ...result.detail, modelReward: reward } } : {}),
    summary: appendRewardToSummary(result.summary, `model reward ${reward.toFixed(2)}`),
  };
}

/** Dependencies of the environment in addition to its settings. */
export interface RepairParts {
  /** Runs Python, for example `sandboxExecute` of a sandbox. */
  readonly execute: Execute;
  /** Problems of `loadProblems`. The warm start trains on them. */
  readonly problems: readonly Problem[];
  /** Tasks for training and evaluation in place of the problems: the result of `readTasks`. */
  readonly tasks?: readonly RepairTask[];
}

/** Repair environment with its settings, tasks and program runner. */
export interface RepairEnvironment extends Environment<RepairTask, 'later'> {
  readonly settings: RepairSettings;
  /** Tasks for training and evaluation. */
  readonly tasks: readonly RepairTask[];
  readonly runner: ProgramRunner;
}

/** Shapes of the policy by the setting `width`. */
const NETWORKS: Readonly<Record<RepairSettings['width'], Network>> = {
  64: { layers: 3, dim: 64, heads: 4 },
  32: { layers: 3, dim: 32, heads: 4, ffDim: 88 },
};
/** Random stream that only the draw of training problems uses. */
const SUBSET_STREAM = 0x73756273;

/**
 * Creates an environment in which a policy writes small Python functions. If a test fails, the policy sees it and
 * writes another program.
 *
 * @param values values of REPAIR_SETTINGS; missing ones take their default
 * @throws {ParameterError} for a setting that the table does not allow
 * @example
 * const environment = createRepairEnvironment({ maxTurns: 2 }, { execute, problems: await loadProblems() });
 * const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
 * const episode = environment.begin(task, defaults(environment.controls));
 * const stepResult = await episode.act(task.reference.concat(END));
 */
export function createRepairEnvironment(values: ParameterValues, parts: RepairParts): RepairEnvironment {
  const settings = repairSettings(values);
  const runner = new ProgramRunner(parts.execute);
  const tasks: readonly RepairTask[] =
    parts.tasks ?? parts.problems.map((problem) => withEasyTests(problem, settings.easyTests));
  const train = tasks.filter((task) => !task.heldOut);
  const splits = { train: someOf(train, settings), 'held-out': tasks.filter((task) => task.heldOut) };
  // The warm start uses the shipped problems without easy tests, so one checkpoint is valid for all these settings.
  const training = parts.problems.filter(({ heldOut }) => !heldOut);

  return {
    name: 'repair',
    vocabulary: vocabularyOf(settings),
    runsPrograms: true,
    freshPrompts: true,
    context: contextOf(settings),
    network: NETWORKS[settings.width],
    maxTurns: turnsOf(settings, settings.maxTurns),
    attemptTurns: (attempts) => turnsOf(settings, attempts),
    stopTokens: [END],
    controls: REPAIR_CONTROLS,
    settings,
    tasks,
    runner,
    warmStart: [warmStartStage(runner, training, settings)],
    turnLimit: (turn) => turnTokenLimit(settings, turn),
    sampleTasks(random, count, split) {
      const pool = splits[split];
      if (pool.length === 0) throw new Error(`none of the ${tasks.length} tasks is for ${split}: see "heldOut"`);
      return Array.from({ length: count }, () => pool[random.integer(pool.length)]);
    },
    checkSplit(split, file) {
      if (splits[split].length > 0) return;
      const problem = `${split === 'train' ? 'all' : 'none'} of the ${tasks.length} tasks are held out`;
      throw new TaskError(0, 'heldOut', `${problem}, none is for ${split}`, file);
    },
    describe: questionText,
    learnedReward: {
      judgeIn: selectRewardModel,
      tasks: (split) => splits[split],
      reads: readsOf,
      scored: scoreOf,
      pay: payByModel,
    },
    outcomeRange: () => ({ bestOutcome: 1, worstOutcome: 0 }),
    prompt: (task) => task.prompt,
    begin(task, controls, play) {
      const { mode = 'train', maxTurns = turnsOf(settings, settings.maxTurns) } = play ?? {};
      const { reflection, verification } = settings;
      const setup: EpisodeSetup = { runner, task, controls: repairControls(controls), mode, maxTurns, reflection };
      return verification === 'written' ? new VerifyingEpisode(setup) : new RepairEpisode(setup);
    },
  };
}

function vocabularyOf({ reflection, verification }: RepairSettings): Vocabulary {
  if (verification === 'written') return VERIFYING_VOCABULARY;
  return reflection === 'written' ? REFLECTING_VOCABULARY : REPAIR_VOCABULARY;
}

/**
 * Returns `trainProblems` of the training tasks, the same tasks in every run of a world. A larger number includes the
 * tasks of a smaller number.
 */
function someOf(
  tasks: readonly RepairTask[],
  { trainProblems, worldSeed }: Pick<RepairSettings, 'trainProblems' | 'worldSeed'>,
): readonly RepairTask[] {
  if (trainProblems === 0 || trainProblems >= tasks.length) return tasks;
  const order = new CounterRandom(worldSeed, SUBSET_STREAM, 0).permutation(tasks.length);
  return order
    .slice(0, trainProblems)
    .sort((a, b) => a - b)
    .map((index) => tasks[index]);
}

function withEasyTests(problem: Problem, count: number): Problem {
  if (count === 0) return problem;
  return { ...problem, tests: [...problem.tests, ...problem.easyTests.slice(0, count)] };
}

/** Module that constructs the repair environment from its problems and a sandbox for programs. */
export const environmentModule: EnvironmentModule<readonly Problem[]> = {
  load: loadProblems,
  async create(settings, shipped, { execute, customTasks }) {
    const { worldSeed } = repairSettings(settings);
    const problems = worldSeed === 0 ? shipped : await drawnProblems(worldSeed, execute);
    const tasks = customTasks && { tasks: await readCustomTasks(customTasks, execute) };
    return createRepairEnvironment(settings, { execute, problems, ...tasks });
  },
};

const worlds = cachedTaskSets<readonly Problem[]>();

/** Creates the problems of another world by running Python. */
function drawnProblems(world: number, execute: Execute): Promise<readonly Problem[]> {
  return worlds(String(world), async () => {
    const { problemSeed, recordProblems } = await import('./recordProblems.ts');
    return readProblems(await recordProblems(execute, problemSeed(world)));
  });
}

/**
 * Reads custom tasks and runs their references, which must pass.
 * @throws {TaskError} for an invalid file; the message names the file, line and field
 */
async function readCustomTasks({ file, text }: CustomTasks, execute: Execute): Promise<readonly RepairTask[]> {
  const { checkReferences, readTasks, taskLines } = await import('./taskFile.ts');
  try {
    const tasks = readTasks(text);
    await checkReferences(tasks, execute, taskLines(text));
    return tasks;
  } catch (error) {
    throw error instanceof TaskError ? error.inFile(file) : error;
  }
}
