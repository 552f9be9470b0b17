import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AnyEnvironment } from '../../environments/environment.ts';
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
import { calibrationSvg } from '../compare/figures.ts';
import { fitRewardModel, sampledTurns } from '../compare/starts.ts';
import { defineCommand } from '../framework/command.ts';
import {
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
  worldFlag,
} from '../framework/configurationFlags.ts';
import { REPEATABLE_ENGINE } from '../framework/device.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { type Flag, integerFlag, number, optional, text } from '../framework/flags.ts';
import { version } from '../framework/installation.ts';
import { filesRead, loadRewardModel, rewardModelFile, show } from '../framework/policyFiles.ts';
import { alignedTable, type Terminal } from '../framework/terminal.ts';
import { withTrainer } from '../framework/worldRuns.ts';
import { type Output, withOutputs } from '../output/outputs.ts';

const FLAGS = {
  steps: optional(
    integerFlag(`Optimiser steps, each on 64 pairs; the default is ${STANDARD_REWARD_MODEL.steps}.`, {
      min: 1,
      max: 100_000,
      default: STANDARD_REWARD_MODEL.steps,
    }),
  ),
  pairs: optional(
    integerFlag('Maximum number of training pairs; 0, the default, for all pairs.', {
      min: 0,
      max: 1_000_000,
      default: STANDARD_REWARD_MODEL.pairs,
    }),
  ),
  samples: optional(
    integerFlag(`Rollouts per task that give the pairs; the default is ${STANDARD_REWARD_MODEL.samples}.`, {
      min: 2,
      max: 64,
      default: STANDARD_REWARD_MODEL.samples,
    }),
  ),
  seed: optional(number(SEED)),
  noise: optional(
    share('noise', 'Share of the training pairs with flipped labels, drawn by the seed; the default is 0.'),
  ),
  bias: optional(
    share(
      'bias',
      'Weight of the bias of an unreliable judge in the scores that order the training pairs: 0 for the true scores only, ' +
        '1 for the bias only. In search, the bias prefers answers without a search; repair has no bias.',
    ),
  ),
};

function share(name: string, help: string): Flag<number> {
  return number({ kind: 'number', name, label: '', default: 0, min: 0, max: 1, step: 0.01, help });
}

/** Command that trains a reward model, which replaces the rewards of the environment, and measures the model. */
export const rewardModelCommand = perEnvironment((tables) =>
  defineCommand({
    name: 'reward-model',
    summary: 'train a reward model on pairs of turns of the warm start, and measure it',
    description:
      'Samples turns of every training task with the warm start, orders the turns of each task, and trains a model on the ' +
      'pairs (Bradley-Terry). In repair the turns are programs, ordered by the tests that they pass. In search they are ' +
      'turns that search and turns that answer, ordered by a rubric with access to the truth. Writes the model, then prints ' +
      'its accuracy and calibration on pairs of held-out tasks. Without --out it writes the file that ' +
      '`train --turnReward model` (in search judge, and with --noise or --bias unreliable) and the page look for. Ctrl-C ' +
      'writes the unfinished model; --resume continues it.',
    flags: {
      environment: ENVIRONMENT,
      engine: REPEATABLE_ENGINE,
      ...worldFlag(tables),
      ...FLAGS,
      out: text('FILE', 'Output file (safetensors), instead of the default file.'),
      checkpoint: text('FILE', 'Sample the turns with this policy instead of the warm start of the world.'),
      resume: text('FILE', 'Continue a stopped model with its saved settings. A finished model is only measured.'),
      svg: text('FILE', 'Write a calibration plot for held-out pairs to this file (SVG).'),
      set: setFlag(tables.settings),
    },
    parameters: settingSections(tables),
    examples: [
      '--environment repair',
      '--environment repair --steps 200 --pairs 1000 --out small.safetensors',
      '--environment repair --resume small.safetensors --out small.safetensors',
      '--environment search --noise 0.2 --bias 0.5 --out unreliable.safetensors',
    ],
    async run({ flags, parameters }, terminal) {
      const { name, title, rewardModel } = tables.environment;
      if (!rewardModel) throw new UsageError(`--environment ${name}: ${title} has no reward model`);
      const given = Object.entries(FLAGS).flatMap(([flag]) =>
        flags[flag as keyof typeof FLAGS] === undefined ? [] : flag,
      );
      if (flags.resume !== undefined && given.length > 0) {
        throw new UsageError(`--${given[0]}: not allowed with --resume, because the stopped model has its own value`);
      }
      const { world, set } = flags;
      const configuration = readConfiguration({ environment: name, world, set }, parameters);
      if (configuration.settings.verification === 'written') {
        throw new UsageError(
          '--verification: a reward model reads programs, and turns that write tests have none; use --verification none',
        );
      }
      const planned = {
        ...STANDARD_REWARD_MODEL,
        ...Object.fromEntries(given.map((flag) => [flag, flags[flag as keyof typeof FLAGS]])),
      };
      const defaultPath = rewardModelFile(configuration, planned);
      if (flags.out === undefined) mkdirSync(dirname(defaultPath), { recursive: true });
      const check = ({ learnedReward }: AnyEnvironment) => {
        if (planned.bias > 0 && learnedReward?.lean === undefined)
          throw new UsageError(`--bias: ${title} has no bias of a judge; leave --bias out`);
      };
      const inputs = filesRead(flags, configuration.settings, name);
      const options = { inputs, continues: { out: flags.resume } };
      return withOutputs(terminal, { out: flags.out ?? defaultPath, svg: flags.svg }, options, async ({ out, svg }) =>
        withTrainer(
          terminal,
          configuration,
          { checkpoint: flags.checkpoint, engine: flags.engine, check },
          async (trainer) => {
            const policy = policyFor(trainer.environment);
            const saved = flags.resume === undefined ? undefined : loadRewardModel({ policy }, flags.resume);
            return train({ trainer, plan: saved?.progress ?? planned, saved, out, svg, configuration }, terminal);
          },
        ),
      );
    },
  }),
);

interface Work {
  readonly trainer: Trainer;
  readonly plan: RewardModelPlan;
  readonly saved: SavedRewardModel | undefined;
  readonly out: Output;
  /** Plot of the calibration. */
  readonly svg: Output | undefined;
  readonly configuration: RunConfiguration;
}

async function train({ trainer, plan, saved, out, svg, configuration }: Work, terminal: Terminal): Promise<number> {
  const created = await fitRewardModel(trainer, plan, terminal, saved);
  const { settings, environment } = configuration;
  const metadata = { environment, settings: JSON.stringify(settings), version: version() };
  await out.write(writeRewardModel(trainer.engine.config, created.model, metadata));
  const { done, steps, centre } = created.model.progress;
  if (centre === null) {
    terminal.err(`stopped at step ${done} of ${steps}: ${show(out.file)}; --resume ${show(out.file)} continues it\n`);
    return EXIT.interrupted;
  }
  terminal.err(`written: ${show(out.file)}\n`);
  // The model is compared with true labels, regardless of the labels that it was trained on.
  const heldOut = pairsOf(await sampledTurns(trainer, 'held-out', { ...plan, bias: 0 }, terminal), plan.seed);
  const { training, pairs } = created;
  const kinds = [...new Set(heldOut.map(({ better }) => better.kind))].filter((kind) => kind !== undefined).sort();
  const inTruth = await training.accuracy(heldOut);
  const measured: Measured[] = [
    ['training tasks, training labels', await training.accuracy(pairs)],
    ['held-out tasks, true labels', inTruth],
  ];
  await svg?.write(calibrationSvg('Held-out pairs: confidence and accuracy', inTruth.bins));
  for (const kind of kinds) {
    const kindPairs = heldOut.filter(({ better }) => better.kind === kind);
    measured.push([`  ${kind}`, await training.accuracy(kindPairs)]);
  }
  terminal.out(accuracyText(measured));
  return EXIT.done;
}

type Measured = readonly [string, PairAccuracy];

/** Formats the accuracy, and the calibration on held-out pairs: of pairs predicted with 80 %, 80 % should be right. */
function accuracyText(measured: readonly Measured[]): string {
  const share = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(3));
  const rows = measured.map(([name, { pairs, accuracy, loss }]) => [name, String(pairs), share(accuracy), share(loss)]);
  const [, [, heldOut]] = measured;
  const bins = heldOut.bins.map(({ from, to, pairs, predicted, right }) => [
    `${from.toFixed(1)} to ${to.toFixed(1)}`,
    String(pairs),
    share(predicted),
    share(right),
  ]);
  return `${alignedTable(['', 'pairs', 'right', 'loss, nats'], rows)}\n\n${alignedTable(
    ['held-out, predicted probability', 'pairs', 'mean predicted', 'right'],
    bins,
  )}\n`;
}
