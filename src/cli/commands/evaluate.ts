import { FEEDBACK_CONTROLS, type FeedbackControl } from '../../environments/repair/evaluation.ts';
import { evaluateRepo, evaluateSharing, type HeldOutOptions } from '../../experiments/compare/heldOutEvaluation.ts';
import { evaluate } from '../../experiments/compare/rates.ts';
import { evaluateRefinement } from '../../experiments/refinement.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { SEED } from '../../training/data/configurationTables.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { defineCommand } from '../framework/command.ts';
import {
  controlSections,
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
} from '../framework/configurationFlags.ts';
import { withGpu } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, type FlagTable, type FlagValues, number, text, whole, wholes, words } from '../framework/flags.ts';
import { openWorld } from '../framework/openWorld.ts';
import { filesRead, loadStart, show } from '../framework/policyFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { ratesText, refinementText, sharingText } from './evaluateText.ts';
import { ownTasksFlag, readOwnTasks } from './ownTasks.ts';

/** How many episodes there are, and what else only one environment asks. */
const EPISODES = { episodes: whole('Episodes to play.', { min: 1, max: 100_000, default: 512 }) };
const MOST_SAMPLES = 1_000;

const samplesFlags = (samples: number, problems: string) => ({
  samples: whole(`Episodes of each problem.`, { min: 1, max: MOST_SAMPLES, default: samples }),
  problems: whole(`Problems, the first ones; 0 for all ${problems}.`, { min: 0, max: 10_000, default: 0 }),
});

const REPAIR_FLAGS = {
  ...samplesFlags(4, 'of the split'),
  iterations: whole('Attempts an episode: Iter-1, Iter-2, ...', { min: 1, max: 8, default: 3 }),
  feedback: words(
    'What is shown between attempts: the failing visible test; that of another episode; nothing, a fresh start. Several ' +
      'follow the same first programs.',
    FEEDBACK_CONTROLS,
    ['true'],
  ),
  runs: whole('Independent runs; tables then show means and sample deviations.', { min: 1, max: 100, default: 1 }),
  passAt: wholes('k of pass@k, at most --samples; without it, powers of two up to that.', {
    min: 1,
    max: MOST_SAMPLES,
  }),
};

const REPO_FLAGS = {
  ...samplesFlags(8, 'of the split'),
  sharing: wholes(
    'Sizes of groups: also measures which share of the steps lies in states that two or more rollouts of a group came by, ' +
      'at every granularity. As many episodes of each problem are played as the largest size, or --samples where that is more.',
    { min: 2, max: MOST_SAMPLES },
  ),
};

const OWN_FLAGS: Readonly<Record<EnvironmentName, FlagTable>> = {
  search: EPISODES,
  repair: REPAIR_FLAGS,
  repo: REPO_FLAGS,
};

/** Plays tasks without learning and prints what share did what. */
export const evaluateCommand = perEnvironment((tables) => {
  const { name } = tables.environment;
  return defineCommand({
    name: 'evaluate',
    summary: 'measure a checkpoint without training',
    description:
      'Lets a policy play tasks without learning, and prints its rates; --json writes them with all digits. search: shares are ' +
      'over the episodes; entropy is in nats, over the tokens that the policy wrote. repair: Iter-k is the share of episodes ' +
      'whose last program by attempt k passes the hidden tests, while feedback shows the visible ones; drawn at temperature 0.6 ' +
      'and top-p 0.95 unless asked otherwise; pass@k without bias, of first and of last programs. repo: the share of episodes ' +
      'that finish with all tests passing, how they go, and on request how rollouts meet. Ctrl-C stops; runs of repair that ' +
      'are complete are reported.',
    flags: {
      environment: ENVIRONMENT,
      checkpoint: text('FILE', 'A checkpoint, or a run kept by train --save; without it, the warm start of the world.'),
      split: choice('Tasks: those of training, or those never met there.', ['train', 'held-out'], 'held-out'),
      ...OWN_FLAGS[name],
      ...ownTasksFlag(name),
      seed: number(SEED),
      json: text('FILE', 'Write everything that was measured here.'),
      set: setFlag([...tables.settings, ...tables.controls]),
    },
    parameters: [...controlSections(tables), ...settingSections(tables)],
    examples: [
      '--split train',
      '--checkpoint kept.json --split held-out --episodes 1024',
      '--environment repair --samples 8 --runs 3 --feedback true,shuffled,retry',
      '--environment repo --checkpoint kept.json --sharing 2,4,8,16',
    ],
    async run({ flags, parameters }, terminal) {
      const amount = flags as FlagValues<FlagTable> as Amount;
      checkAmount(amount);
      const given = { ...tables.environment.evaluation, ...Object.fromEntries(flags.set.flat()), ...parameters };
      const configuration = readConfiguration({ environment: flags.environment, seed: flags.seed }, given);
      const { controls, seed, settings } = configuration;
      const inputs = filesRead(flags, settings, name);
      return withOutputs(terminal, { json: flags.json }, { inputs }, async ({ json }) => {
        const own = readOwnTasks(name, flags);
        const opened = await openWorld(configuration, own);
        try {
          if (own) opened.environment.checkSplit?.(flags.split, own.file);
          const { state, file } = loadStart(opened.world, flags.checkpoint);
          opened.warmUp();
          return await withGpu(terminal, async (gpu) => {
            const trainer = await Trainer.create(gpu, opened.environment, seed, controls);
            trainer.load(state, 0);
            const measured = await measure(trainer, flags.split, amount, terminal);
            if (!measured) throw new Interrupted();
            const { aborted } = terminal.signal;
            const head = { environment: name, checkpoint: file, split: flags.split, seed };
            const partial = aborted ? { partial: true } : {};
            await json?.write(`${JSON.stringify({ ...head, ...partial, ...measured.values }, null, 2)}\n`);
            terminal.out(measured.text);
            if (json) terminal.err(`written to ${show(json.file)}${aborted ? ', in part' : ''}\n`);
            return aborted ? EXIT.interrupted : EXIT.done;
          });
        } finally {
          opened.close();
        }
      });
    },
  });
});

/** How much is measured, by the flags of the environments; missing ones are their defaults. */
export interface Amount {
  readonly episodes?: number;
  readonly samples?: number;
  readonly problems?: number;
  readonly iterations?: number;
  readonly feedback?: readonly FeedbackControl[];
  readonly runs?: number;
  readonly passAt?: readonly number[];
  readonly sharing?: readonly number[];
}

/** What was measured, with all digits and as it is told. */
export interface Measured {
  readonly values: object;
  readonly text: string;
}

/** @throws {UsageError} for a k of pass@k without that many samples */
function checkAmount({ samples = 1, passAt = [] }: Amount): void {
  const over = passAt.find((k) => k > samples);
  if (over !== undefined) {
    throw new UsageError(`--passAt: pass@${over} needs ${over} episodes of each problem, and --samples is ${samples}`);
  }
}

/**
 * Measures the policy that a trainer holds, in the way of its environment.
 * @returns undefined where it was stopped before there was anything to report
 */
export async function measure(
  trainer: Trainer,
  split: 'train' | 'held-out',
  amount: Amount,
  terminal: Terminal,
): Promise<Measured | undefined> {
  const { environment, controls } = trainer;
  const { signal } = terminal;
  if (environment.name === 'search') {
    const rates = await evaluate(trainer, amount.episodes ?? EPISODES.episodes.fallback, split, signal);
    return signal.aborted ? undefined : { values: rates, text: ratesText({ ...rates }) };
  }
  const value = (name: string) => controls[name] as number;
  let progress: Progress | undefined;
  let told = 0;
  const { samples = 1, sharing = [] } = amount;
  const options: HeldOutOptions = {
    split,
    samples: Math.max(samples, ...sharing),
    ...(amount.problems ? { tasks: amount.problems } : {}),
    sampling: { temperature: value('temperature'), topP: value('topP'), topK: value('topK') },
    signal,
    progress: (done, all) => {
      progress ??= new Progress(terminal, all);
      for (; told < done; told++) progress.advance('episodes', environment.name);
    },
  };
  try {
    if (environment.name === 'repair') return await measureRepair(trainer, options, amount);
    return await measureRepo(trainer, options, sharing);
  } finally {
    progress?.close();
  }
}

async function measureRepair(trainer: Trainer, options: HeldOutOptions, amount: Amount): Promise<Measured | undefined> {
  const { iterations = REPAIR_FLAGS.iterations.fallback, feedback = ['true'], runs = 1, passAt = [] } = amount;
  const { samples, split } = options;
  const ks = passAt.length > 0 ? passAt : powersOfTwo(samples);
  const reports = await evaluateRefinement(trainer, { ...options, iterations, feedback, runs, passAt: ks });
  if (!reports) return undefined;
  const [{ tasks }] = reports[0].runs;
  return {
    values: { tasks, samples, iterations, runs: reports[0].runs.length, sampling: options.sampling, feedback: reports },
    text: refinementText(reports, split),
  };
}

async function measureRepo(
  trainer: Trainer,
  options: HeldOutOptions,
  sizes: readonly number[],
): Promise<Measured | undefined> {
  const found =
    sizes.length > 0
      ? await evaluateSharing(trainer, options, sizes)
      : { rates: await evaluateRepo(trainer, options), sharing: undefined };
  if (options.signal?.aborted) return undefined;
  const { rates, sharing } = found;
  return {
    values: { ...rates, ...(sharing ? { sharing } : {}) },
    text: ratesText(rates) + (sharing ? `\n${sharingText(sharing)}` : ''),
  };
}

/** 1, 2, 4, ... up to a number. */
function powersOfTwo(most: number): readonly number[] {
  return Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, exponent) => 2 ** exponent);
}
