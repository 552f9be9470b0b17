import { createHash } from 'node:crypto';
import { EXPERT_PARAMETERS, supportsExpertIteration } from '../../experiments/compare/arms.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { SEED } from '../../training/data/configurationTables.ts';
import { finished, readRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { defineCommand } from '../framework/command.ts';
import {
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
} from '../framework/configurationFlags.ts';
import { ENGINE, withDevice } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, type FlagValues, integerFlag, number, text } from '../framework/flags.ts';
import { type LoadedPolicy, loadStart, rewardModelIn, show } from '../framework/policyFiles.ts';
import { alignedTable } from '../framework/terminal.ts';
import { openWorld } from '../framework/worldRuns.ts';
import { withOutputs } from '../output/outputs.ts';
import {
  type ExpertPlan,
  expertFiles,
  type IterationRow,
  iterations,
  openExpertFolder,
  type SolvedRates,
  type Work,
} from './expertRun.ts';

const [ITERATIONS, SAMPLES, TURNS, TEMPERATURE, EXPERT, VERIFIER_STEPS, EPOCHS, LEARNING_RATE] = EXPERT_PARAMETERS;

const AMOUNT = {
  samples: number(SAMPLES),
  turns: number(TURNS),
  temperature: number(TEMPERATURE),
  expert: choice(EXPERT.help, EXPERT.options, EXPERT.default),
  verifierSteps: number(VERIFIER_STEPS),
  epochs: number(EPOCHS),
  learningRate: number(LEARNING_RATE),
  seed: number(SEED),
  episodes: integerFlag('Episodes and searches per held-out problem.', { min: 1, max: 1_000, default: 4 }),
  problems: integerFlag('Number of held-out problems to measure, from the first one on; 0 for all.', {
    min: 0,
    max: 10_000,
    default: 0,
  }),
  budget: integerFlag('Programs of a best-of-N search.', { min: 1, max: 64, default: 5 }),
};

/** Command for expert iteration (μCode): all turns of a problem receive its best program as the target of imitation. */
export const expertIterationCommand = perEnvironment((tables) => {
  const { name, title, evaluation } = tables.environment;
  return defineCommand({
    name: 'expert-iteration',
    summary: 'imitate the best program of each problem, chosen by a learned verifier',
    description:
      'muCode (Jain et al. 2025, arXiv 2502.20380) in repair. An iteration samples rollouts with the current policy and trains ' +
      'a verifier on all programs so far (a reward model, from the trunk of the warm start). It takes the best program of ' +
      'each training problem as the target of every turn of that problem, and trains the warm start on these targets by ' +
      'cross-entropy. Then it prints the share of held-out problems that first programs, the last attempt and the best of ' +
      'N solve. --out is a folder for programs, verifiers, policies and figures. Ctrl-C stops; the same command continues, ' +
      'and a larger --iterations adds iterations.',
    flags: {
      environment: ENVIRONMENT,
      engine: ENGINE,
      iterations: number(ITERATIONS),
      ...AMOUNT,
      verifier: text('FILE', 'A reward model that is the verifier of all iterations, instead of a trained one.'),
      checkpoint: text('FILE', 'Start from this policy instead of the warm start of the world.'),
      out: text('FOLDER', 'Output folder; required.'),
      set: setFlag(tables.settings),
    },
    parameters: settingSections(tables),
    examples: [
      '--environment repair --out mucode',
      '--environment repair --iterations 1 --expert tests --out oracle',
      '--environment repair --trainProblems 50 --samples 8 --out small',
    ],
    async run({ flags, parameters }, terminal) {
      if (!supportsExpertIteration(tables)) {
        throw new UsageError(`--environment ${name}: expert iteration imitates programs, and ${title} has no programs`);
      }
      const { out: folder } = flags;
      if (folder === undefined) throw new UsageError('--out is missing: name a folder');
      const set = [Object.entries(evaluation), ...flags.set];
      const configuration = readConfiguration({ environment: name, seed: flags.seed, set }, parameters);
      if (configuration.settings.reflection === 'written') {
        throw new UsageError(
          '--reflection: expert iteration imitates programs without reflections; use --reflection none',
        );
      }
      if (configuration.settings.verification === 'written') {
        throw new UsageError(
          '--verification: expert iteration has no targets for turns that write tests; use --verification none',
        );
      }
      const opened = await openWorld(configuration);
      try {
        const start = loadStart(opened.world, flags.checkpoint);
        const verifier = flags.verifier && rewardModelIn(opened.world, flags.verifier, 'verifier');
        if (verifier) finished(readRewardModel(opened.world.policy, verifier));
        const plan = planOf(flags, configuration, start, verifier || undefined);
        const files = expertFiles(folder, flags.iterations);
        const state = openExpertFolder(folder, files, plan);
        const options = { flag: 'out', rereadOutputs: Object.keys(files) };
        return await withOutputs(terminal, files, options, async (outputs) => {
          opened.warmUp();
          const work: Work = { configuration, opened, start, plan, outputs, given: verifier || undefined, terminal };
          const rows = await withDevice(terminal, flags.engine, (device) =>
            iterations(device, work, state, flags.iterations),
          ).catch((error: unknown) => {
            if (!(error instanceof Interrupted)) throw error;
            terminal.err(`stopped; results so far are in ${show(folder)}; the same command continues\n`);
            return undefined;
          });
          if (!rows) return EXIT.interrupted;
          terminal.out(expertIterationText(plan, rows));
          return EXIT.done;
        });
      } finally {
        opened.close();
      }
    },
  });
});

function planOf(
  flags: FlagValues<typeof AMOUNT>,
  { settings }: RunConfiguration,
  { digest }: LoadedPolicy,
  verifier: ArrayBuffer | undefined,
): ExpertPlan {
  const digestOf = (data: ArrayBuffer) => createHash('sha256').update(new Uint8Array(data)).digest('hex');
  const names = Object.keys(AMOUNT) as (keyof typeof AMOUNT)[];
  const amount = Object.fromEntries(names.map((key) => [key, flags[key]])) as unknown as FlagValues<typeof AMOUNT>;
  return { settings, start: digest, ...(verifier ? { verifier: digestOf(verifier) } : {}), ...amount };
}

/** Formats the imitated programs of each iteration, and the solved rates of the policies before and after it. */
export function expertIterationText(
  { turns, budget }: Pick<ExpertPlan, 'turns' | 'budget'>,
  rows: readonly IterationRow[],
): string {
  const percent = (share: number) => (Number.isFinite(share) ? (100 * share).toFixed(1) : '-');
  const taught = rows.map(({ programs, right, problems, bestRight, examples, loss }, index) => [
    String(index + 1),
    ...[String(programs), percent(right), String(problems), percent(bestRight), String(examples)],
    loss.map((value) => value.toFixed(3)).join(' to '),
  ]);
  const rates = ({ first, last, byTests, byVerifier }: SolvedRates) => [first, last, byTests, byVerifier].map(percent);
  const solved = rows.flatMap(({ before, after }, index) => [
    [index === 0 ? 'the start' : `policy ${index}`, `verifier ${index + 1}`, ...rates(before)],
    [`policy ${index + 1}`, `verifier ${index + 1}`, ...rates(after)],
  ]);
  const head = ['iteration', 'programs', 'right, %', 'problems', 'best right, %', 'examples', 'imitation loss, nats'];
  const best = [`best of ${budget} by tests`, 'and verifier'];
  return `${alignedTable(head, taught)}\n\n${alignedTable(
    ['held-out, % solved', '', 'Iter-1', `Iter-${turns}`, ...best],
    solved,
  )}\n`;
}
