import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { SEED } from '../../training/data/configurationTables.ts';
import { type PairAccuracy, pairsOf } from '../../training/rewardModel/pairs.ts';
import {
  type RewardModelPlan,
  type SavedRewardModel,
  STANDARD_REWARD_MODEL,
  writeRewardModel,
} from '../../training/rewardModel/rewardModelFile.ts';
import { policyFor } from '../../training/run/openEnvironment.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { defineCommand } from '../framework/command.ts';
import {
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
  worldFlag,
} from '../framework/configurationFlags.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { type Flag, number, text, whole } from '../framework/flags.ts';
import { withTrainer } from '../framework/loadedTrainer.ts';
import { makeRewardModel, sampledPrograms } from '../framework/makeRewardModel.ts';
import { filesRead, loadRewardModel, rewardModelFile, show } from '../framework/policyFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { alignedTable } from '../framework/text.ts';
import { version } from '../framework/version.ts';
import { type Output, withOutputs } from '../output/outputs.ts';

const optional = (flag: Flag<number>): Flag<number | undefined> => ({ ...flag, fallback: undefined });

const FLAGS = {
  steps: optional(
    whole(`Optimiser steps, each on 64 pairs; ${STANDARD_REWARD_MODEL.steps} unless given.`, {
      min: 1,
      max: 100_000,
      default: STANDARD_REWARD_MODEL.steps,
    }),
  ),
  pairs: optional(
    whole('Most pairs to train on; 0, or no number, for all there are.', {
      min: 0,
      max: 1_000_000,
      default: STANDARD_REWARD_MODEL.pairs,
    }),
  ),
  samples: optional(
    whole(`Rollouts of each problem that the programs are taken from; ${STANDARD_REWARD_MODEL.samples} unless given.`, {
      min: 2,
      max: 64,
      default: STANDARD_REWARD_MODEL.samples,
    }),
  ),
  seed: optional(number(SEED)),
};

/** Makes the model that pays programs in place of their tests, and measures it. */
export const rewardModelCommand = perEnvironment((tables) =>
  defineCommand({
    name: 'reward-model',
    summary: 'train a reward model on pairs of programs, and measure it',
    description:
      'Lets the warm start write programs for every training problem, orders those of a problem by the tests that they pass, ' +
      'and trains a model on the pairs (Bradley-Terry). Writes it, then prints how often it is right about pairs of held-out ' +
      'problems, and how sure it is. Without --out it writes the file that `train --turnReward model` and the page look for. ' +
      'Ctrl-C writes what there is; --resume goes on.',
    flags: {
      environment: ENVIRONMENT,
      ...worldFlag(tables),
      ...FLAGS,
      out: text('FILE', 'Where the model (safetensors) goes instead.'),
      checkpoint: text('FILE', 'Let this policy write the programs instead of the warm start of the world.'),
      resume: text('FILE', 'Go on with a model that was stopped, by its own plan.'),
      set: setFlag(tables.settings),
    },
    parameters: settingSections(tables),
    examples: [
      '--environment repair',
      '--environment repair --steps 200 --pairs 1000 --out small.safetensors',
      '--environment repair --resume small.safetensors --out small.safetensors',
    ],
    async run({ flags, parameters }, terminal) {
      const { name, title, rewardModel } = tables.environment;
      if (!rewardModel) throw new UsageError(`--environment ${name}: no learned model pays turns in ${title}`);
      const given = Object.entries(FLAGS).flatMap(([flag]) =>
        flags[flag as keyof typeof FLAGS] === undefined ? [] : flag,
      );
      if (flags.resume !== undefined && given.length > 0) {
        throw new UsageError(`--${given[0]} does not go with --resume: the model that was stopped has its own`);
      }
      const { world, set } = flags;
      const configuration = readConfiguration({ environment: name, world, set }, parameters);
      const own = rewardModelFile(configuration.settings, name);
      if (flags.out === undefined) mkdirSync(dirname(own), { recursive: true });
      const inputs = { ...filesRead(flags, configuration.settings, name) };
      const options = { inputs, continues: { out: flags.resume } };
      return withOutputs(terminal, { out: flags.out ?? own }, options, async ({ out }) =>
        withTrainer(terminal, configuration, { checkpoint: flags.checkpoint }, async (trainer) => {
          const policy = policyFor(trainer.environment);
          const saved = flags.resume === undefined ? undefined : loadRewardModel({ policy }, flags.resume);
          const plan = saved?.progress ?? {
            ...STANDARD_REWARD_MODEL,
            ...Object.fromEntries(given.map((flag) => [flag, flags[flag as keyof typeof FLAGS]])),
          };
          return train({ trainer, plan, saved, out, configuration }, terminal);
        }),
      );
    },
  }),
);

interface Work {
  readonly trainer: Trainer;
  readonly plan: RewardModelPlan;
  readonly saved: SavedRewardModel | undefined;
  readonly out: Output;
  readonly configuration: RunConfiguration;
}

async function train({ trainer, plan, saved, out, configuration }: Work, terminal: Terminal): Promise<number> {
  const made = await makeRewardModel(trainer, plan, terminal, saved);
  const { settings, environment } = configuration;
  const metadata = { environment, settings: JSON.stringify(settings), version: version() };
  await out.write(writeRewardModel(trainer.policy.config, made.model, metadata));
  const { done, steps, centre } = made.model.progress;
  if (centre === null) {
    terminal.err(`stopped at step ${done} of ${steps}: ${show(out.file)}; --resume ${show(out.file)} goes on\n`);
    return EXIT.interrupted;
  }
  terminal.err(`written: ${show(out.file)}\n`);
  const heldOut = pairsOf(await sampledPrograms(trainer, 'held-out', plan, terminal), plan.seed);
  terminal.out(accuracyText(await made.training.accuracy(made.pairs), await made.training.accuracy(heldOut)));
  return EXIT.done;
}

/** Accuracy, and how sure the model is: where it says 80 %, it should be right in 80 %. */
function accuracyText(training: PairAccuracy, heldOut: PairAccuracy): string {
  const share = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(3));
  const named = [
    ['training problems', training],
    ['held-out problems', heldOut],
  ] as const;
  const rows = named.map(([name, { pairs, accuracy, loss }]) => [name, String(pairs), share(accuracy), share(loss)]);
  const bins = heldOut.bins.map(({ from, to, pairs, predicted, right }) => [
    `${from.toFixed(1)} to ${to.toFixed(1)}`,
    String(pairs),
    share(predicted),
    share(right),
  ]);
  return `${alignedTable(['', 'pairs', 'right', 'loss, nats'], rows)}\n\n${alignedTable(
    ['held-out, probability said', 'pairs', 'mean said', 'right'],
    bins,
  )}\n`;
}
