import type { PolicyState } from '../../engine/shared.ts';
import type { MeasuredBy } from '../../environments/descriptor.ts';
import { FEEDBACK_CONTROLS, type FeedbackControl } from '../../environments/repair/evaluation.ts';
import { evaluate, evaluateFacts, type HeldOutOptions, type Strata } from '../../experiments/evaluation/heldOut.ts';
import { difficulties, evaluateRefinement } from '../../experiments/evaluation/repairEvaluation.ts';
import { evaluateRepo, sharing } from '../../experiments/evaluation/repoEvaluation.ts';
import {
  CHILDREN,
  evaluateScaffolds,
  NO_REFLECTIONS,
  usesVerifier,
} from '../../experiments/scaffolds/evaluateScaffolds.ts';
import { expands, SCAFFOLDS, type ScaffoldName, usesReflections } from '../../experiments/scaffolds/scaffold.ts';
import { integerPower } from '../../numbers/exponential.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { UsageError } from '../framework/errors.ts';
import { choice, choiceListFlag, type Flag, type FlagTable, integerFlag, integerListFlag } from '../framework/flags.ts';
import { type Terminal, withProgress } from '../framework/terminal.ts';
import { ratesText, refinementText, scaffoldsText, sharingText } from './evaluateText.ts';

/** Default number of attempts per episode, and of programs per search. */
const ATTEMPTS = 3;
const VERIFIERS = ['auto', 'model', 'none'] as const;

const SCAFFOLD_FLAGS = {
  scaffold: choiceListFlag(
    'Use of the policy. refine: consecutive attempts; best-of-n: independent first programs; lats: a tree search; dot: levels of ' +
      'new refinements; reflexion: attempts after reflections; dot-reflections: levels of new reflections; dot-bank: levels of new ' +
      'reflections with a bank of solved tasks; shuffled-reflexion: attempts after reflections of other episodes. The last four ' +
      'need --reflection written. Several scaffolds share the same first programs.',
    SCAFFOLDS,
    ['refine'],
  ),
  budget: integerFlag('Programs per episode under every scaffold; 0 for the number of --iterations.', {
    min: 0,
    max: 64,
    default: 0,
  }),
  children: integerFlag(
    'Refinements per program that lats expands; new refinements per level of dot, dot-reflections and dot-bank.',
    { min: 1, max: 16, default: CHILDREN },
  ),
  verifier: choice(
    'Verifier of best-of-n and lats, in addition to visible tests. model: the reward model of the world; auto: model, if the ' +
      'world has one; none: visible tests only.',
    VERIFIERS,
    'auto',
  ),
};

const EPISODES = { episodes: integerFlag('Number of episodes.', { min: 1, max: 100_000, default: 512 }) };
const MAX_SAMPLES = 1_000;

const samplesFlags = (samples: number) => ({
  samples: integerFlag('Episodes per problem.', { min: 1, max: MAX_SAMPLES, default: samples }),
  problems: integerFlag('Number of problems, from the first one on; 0 for all of the split.', {
    min: 0,
    max: 10_000,
    default: 0,
  }),
});

const REFINEMENT_FLAGS = {
  ...samplesFlags(4),
  iterations: integerFlag('Attempts per episode: Iter-1, Iter-2, ...', { min: 1, max: 8, default: ATTEMPTS }),
  feedback: choiceListFlag(
    'Feedback between attempts. true: the failing visible test; shuffled: the failing test of another episode; retry: no ' +
      'feedback, a new first program. Several values share the same first programs.',
    FEEDBACK_CONTROLS,
    ['true'],
  ),
  strata: integerFlag(
    'Report hard, medium and easy problems separately. The difficulty of a problem is measured with this number of first ' +
      'programs of the warm start, for every evaluated policy. 0 turns it off.',
    { min: 0, max: 256, default: 0 },
  ),
  runs: integerFlag('Independent runs; tables then show means and sample deviations.', {
    min: 1,
    max: 100,
    default: 1,
  }),
  passAt: integerListFlag('Values of k of pass@k, at most --samples; the default is all powers of two.', {
    min: 1,
    max: MAX_SAMPLES,
  }),
  ...SCAFFOLD_FLAGS,
};

const SHARING_FLAGS = {
  ...samplesFlags(8),
  sharing: integerListFlag(
    'Group sizes. Also measures the share of steps in states that two or more rollouts of a group visit, at every ' +
      'granularity. The number of episodes per problem is the largest group size, or --samples if that is larger.',
    { min: 2, max: MAX_SAMPLES },
  ),
};

/** Size of a measurement, from the flags of the environments. Missing flags have their default values. */
export interface Amount {
  readonly episodes?: number;
  readonly samples?: number;
  readonly problems?: number;
  readonly iterations?: number;
  readonly feedback?: readonly FeedbackControl[];
  readonly strata?: number;
  readonly runs?: number;
  readonly passAt?: readonly number[];
  readonly sharing?: readonly number[];
  readonly scaffold?: readonly ScaffoldName[];
  readonly budget?: number;
  readonly children?: number;
  readonly verifier?: (typeof VERIFIERS)[number];
}

/** Measurements with all digits, and the same measurements as text. */
interface Measured {
  readonly values: object;
  readonly text: string;
}

/** Properties of a world that an evaluation needs. */
interface MeasuredWorld {
  /** Returns the policy from which runs in this world start. */
  readonly start: () => PolicyState;
  /** Returns true if the world has a reward model. */
  readonly hasModel: () => boolean;
}

/** Method of measuring a policy: its flags and the episodes that it samples. */
interface Evaluation {
  /** Flag for the number of episodes, and flags that only this evaluation has. */
  readonly flags: FlagTable;
  /** Creates the flag for the number of episodes with which the warm start is measured. */
  readonly episodes: (standard: number) => Flag<number>;
  /** Returns a size with this number of episodes and no other flags. */
  readonly amount: (episodes: number) => Amount;
  /**
   * Measures the current policy of a trainer.
   * @param world world of the policy; its functions are called only if the measurement needs them
   * @returns undefined if the measurement stopped without a result
   */
  measure(
    trainer: Trainer,
    split: 'train' | 'held-out',
    amount: Amount,
    terminal: Terminal,
    world?: MeasuredWorld,
  ): Promise<Measured | undefined>;
}

const byEpisodes = {
  flags: EPISODES,
  episodes: (standard: number) =>
    integerFlag('Episodes to measure the policy on; 0 skips the measurement.', {
      min: 0,
      ...{ max: 100_000, default: standard },
    }),
  amount: (episodes: number) => ({ episodes }),
};

const byProblem = {
  episodes: (standard: number) =>
    integerFlag('Episodes per held-out problem to measure the policy on; 0 skips the measurement.', {
      min: 0,
      ...{ max: MAX_SAMPLES, default: standard },
    }),
  amount: (samples: number) => ({ samples }),
};

/** Evaluations of a policy, by the value that the environment declares (EnvironmentDescriptor.measuredBy). */
export const EVALUATIONS: Readonly<Record<MeasuredBy, Evaluation>> = {
  rates: {
    ...byEpisodes,
    async measure(trainer, split, { episodes = EPISODES.episodes.fallback }, { signal }) {
      const rates = await evaluate(trainer, episodes, split, signal);
      return signal.aborted ? undefined : { values: rates, text: ratesText({ ...rates }) };
    },
  },
  facts: {
    ...byEpisodes,
    async measure(trainer, split, { episodes = EPISODES.episodes.fallback }, { signal }) {
      const facts = await evaluateFacts(trainer, episodes, split, signal);
      return signal.aborted ? undefined : { values: facts, text: ratesText(facts) };
    },
  },
  refinement: {
    ...byProblem,
    flags: REFINEMENT_FLAGS,
    measure: (trainer, split, amount, terminal, world) =>
      byProblems(trainer, split, amount, terminal, async (options) => {
        const { strata: programs } = amount;
        const strata = world && programs ? await strataBy(trainer, world.start(), options, programs) : undefined;
        if (options.signal?.aborted) return undefined;
        const extended = { ...options, ...(strata ? { strata } : {}) };
        if (!hasScaffoldOptions(amount)) return measureRefinement(trainer, extended, amount);
        return measureScaffolds(trainer, extended, amount, world?.hasModel() ?? false);
      }),
  },
  sharing: {
    ...byProblem,
    flags: SHARING_FLAGS,
    measure: (trainer, split, amount, terminal) =>
      byProblems(trainer, split, amount, terminal, (options) => measureSharing(trainer, options, amount.sharing ?? [])),
  },
};

/** Measures each problem of a split with several episodes, with progress on the terminal. */
function byProblems(
  { controls, environment }: Trainer,
  split: 'train' | 'held-out',
  { samples = 1, sharing = [], problems }: Amount,
  terminal: Terminal,
  measure: (options: HeldOutOptions) => Promise<Measured | undefined>,
): Promise<Measured | undefined> {
  const value = (name: string) => controls[name] as number;
  return withProgress(terminal, 'episodes', environment.name, (progress) =>
    measure({
      split,
      samples: Math.max(samples, ...sharing),
      ...(problems ? { tasks: problems } : {}),
      sampling: { temperature: value('temperature'), topP: value('topP'), topK: value('topK') },
      signal: terminal.signal,
      progress,
    }),
  );
}

async function measureRefinement(
  trainer: Trainer,
  options: HeldOutOptions & { readonly strata?: Strata },
  amount: Amount,
): Promise<Measured | undefined> {
  const { iterations = ATTEMPTS, feedback = ['true'], runs = 1, passAt = [] } = amount;
  const { samples, split } = options;
  const ks = passAt.length > 0 ? passAt : powersOfTwo(samples);
  const reports = await evaluateRefinement(trainer.measurer, { ...options, iterations, feedback, runs, passAt: ks });
  if (!reports) return undefined;
  const [{ tasks }] = reports[0].runs;
  return {
    values: { tasks, samples, iterations, runs: reports[0].runs.length, sampling: options.sampling, feedback: reports },
    text: refinementText(reports, split),
  };
}

/**
 * Measures the difficulty of the tasks for the policy from which runs start. Afterwards, it restores the previous
 * policy of the trainer.
 */
async function strataBy(trainer: Trainer, start: PolicyState, options: HeldOutOptions, samples: number) {
  const saved = await trainer.engine.readState();
  const { progress: _, ...muted } = options;
  trainer.load(start, 0);
  const strata = await difficulties(trainer.measurer, { ...muted, samples });
  trainer.load(saved, 0);
  return strata;
}

async function measureSharing(
  trainer: Trainer,
  options: HeldOutOptions,
  sizes: readonly number[],
): Promise<Measured | undefined> {
  const { rates, problems } = await evaluateRepo(trainer.measurer, options);
  if (options.signal?.aborted) return undefined;
  const groups = problems?.map((episodes) => episodes.map(({ group }) => group));
  const report = groups && sizes.length > 0 ? sharing(groups, sizes, trainer.seed) : undefined;
  return {
    values: { ...rates, ...(report ? { sharing: report } : {}) },
    text: ratesText(rates) + (report ? `\n${sharingText(report)}` : ''),
  };
}

/** Returns 1, 2, 4, ... up to a number. */
function powersOfTwo(limit: number): readonly number[] {
  return Array.from({ length: 32 - Math.clz32(limit) }, (_, exponent) => integerPower(2, exponent));
}

/** Returns true if the options request another scaffold than consecutive attempts, or a budget. */
function hasScaffoldOptions({ scaffold = ['refine'], budget = 0 }: Amount): boolean {
  return budget > 0 || scaffold.some((name) => name !== 'refine');
}

/**
 * Checks the combination of the options.
 * @param settings settings of the world
 * @throws {UsageError} with the flag that contradicts another flag or the world
 */
export function checkScaffolds(amount: Amount, { reflection, verification }: ParameterValues): void {
  const { scaffold = ['refine'], budget = 0, iterations = ATTEMPTS, feedback = ['true'], passAt = [] } = amount;
  const { children = CHILDREN, verifier = 'auto' } = amount;
  const refuse = (flag: string, why: string) => {
    throw new UsageError(`--${flag}: ${why}`);
  };
  const reflecting = scaffold.find(usesReflections);
  if (reflecting && reflection !== 'written') refuse('scaffold', `${reflecting}: ${NO_REFLECTIONS}`);
  if (verifier === 'model' && !scaffold.some(usesVerifier)) {
    refuse('verifier', `--scaffold ${scaffold.join()} uses no verifier; use best-of-n or lats`);
  }
  if (children !== CHILDREN && !scaffold.some(expands)) {
    refuse('children', `--scaffold ${scaffold.join()} expands no program; use lats or dot`);
  }
  if (!hasScaffoldOptions(amount)) return;
  if (verification === 'written') {
    refuse(
      budget > 0 ? 'budget' : 'scaffold',
      'scaffolds need visible tests, and --verification written shows no visible test; use --iterations only',
    );
  }
  if (feedback.join() !== 'true') {
    refuse('feedback', 'scaffolds show true feedback; other values need --scaffold refine, without --budget');
  }
  if (passAt.length > 0) refuse('passAt', 'pass@k needs --scaffold refine, without --budget');
  if (budget > 0 && iterations !== ATTEMPTS && iterations !== budget) {
    refuse('iterations', `--budget ${budget} sets the number of programs; give one of the two flags`);
  }
}

/**
 * Measures a policy under scaffolds.
 * @param hasModel true if the world has a reward model
 * @returns undefined if the measurement stopped before a run was complete
 */
async function measureScaffolds(
  trainer: Trainer,
  options: HeldOutOptions & { readonly strata?: Strata },
  amount: Amount,
  hasModel: boolean,
) {
  const { scaffold: scaffolds = ['refine'], iterations = ATTEMPTS, children = CHILDREN, runs = 1 } = amount;
  const { samples, split, sampling } = options;
  const verifier = amount.verifier !== 'none' && hasModel && scaffolds.some(usesVerifier);
  const choice = { budget: amount.budget || iterations, children, verifier };
  const reports = await evaluateScaffolds(trainer.measurer, { ...options, ...choice, scaffolds, runs });
  if (!reports) return undefined;
  const [{ tasks }] = reports[0].runs;
  return {
    values: { tasks, samples, ...choice, runs: reports[0].runs.length, sampling, scaffolds: reports },
    text: scaffoldsText(reports, { ...choice, scaffolds }, split),
  };
}
