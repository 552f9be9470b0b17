import { type AnyEnvironment, RELIABLE } from '../../environments/environment.ts';
import { SEED } from '../../training/data/configurationTables.ts';
import { missingModel } from '../../training/rewardModel/rewardModelFile.ts';
import { policyFor } from '../../training/run/openEnvironment.ts';
import { defineCommand } from '../framework/command.ts';
import {
  controlSections,
  createCustomTasksFlag,
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  readCustomTasks,
  setFlag,
  settingSections,
  worldFlag,
} from '../framework/configurationFlags.ts';
import { ENGINE } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, type FlagTable, type FlagValues, number, text } from '../framework/flags.ts';
import { filesRead, loadStart, readRewardModelFile, show } from '../framework/policyFiles.ts';
import { withTrainer } from '../framework/worldRuns.ts';
import { withOutputs } from '../output/outputs.ts';
import { type Amount, checkScaffolds, EVALUATIONS } from './evaluations.ts';

/** Command that measures the rates of a policy on tasks, without training. */
export const evaluateCommand = perEnvironment((tables) => {
  const { name, measuredBy } = tables.environment;
  const evaluation = EVALUATIONS[measuredBy];
  return defineCommand({
    name: 'evaluate',
    summary: 'measure a checkpoint without training',
    description:
      'Samples episodes with a policy, without training, and prints its rates; --json writes them with all digits. search: rates ' +
      'are shares of the episodes; entropy is in nats, over the tokens that the policy wrote. repair: Iter-k is the share of ' +
      'episodes whose last program by attempt k passes the hidden tests; feedback shows the visible tests. The default sampling ' +
      'is temperature 0.6 and top-p 0.95. pass@k is the unbiased estimate, for first and for last programs. --strata reports ' +
      'rates by difficulty, and --scaffold uses the policy in other ways with the same number of programs. repo: the share of ' +
      'episodes that finish with all tests passing, further rates of the episodes, and on request the share of steps in shared ' +
      'states. Ctrl-C stops; complete runs of repair are reported.',
    flags: {
      environment: ENVIRONMENT,
      engine: ENGINE,
      ...worldFlag(tables),
      checkpoint: text(
        'FILE',
        'A checkpoint, or a run saved by train --save; the default is the warm start of the world.',
      ),
      split: choice('Training tasks or held-out tasks.', ['train', 'held-out'], 'held-out'),
      ...evaluation.flags,
      ...createCustomTasksFlag(name),
      seed: number(SEED),
      json: text('FILE', 'Write all measurements to this file as JSON.'),
      set: setFlag([...tables.settings, ...tables.controls]),
    },
    parameters: [...controlSections(tables), ...settingSections(tables)],
    examples: [
      '--split train',
      '--checkpoint kept.json --split held-out --episodes 1024',
      '--environment repair --samples 8 --runs 3 --feedback true,shuffled,retry',
      '--environment repair --checkpoint kept.json --iterations 5 --strata 8',
      '--environment repair --scaffold refine,best-of-n,lats,dot --budget 8',
      '--environment repair --reflection written --scaffold refine,reflexion --budget 8',
      '--environment repo --checkpoint kept.json --sharing 2,4,8,16',
    ],
    async run({ flags, parameters }, terminal) {
      const amount = flags as FlagValues<FlagTable> as Amount;
      checkAmount(amount);
      const { world, seed } = flags;
      const set = [Object.entries(tables.environment.evaluation), ...flags.set];
      const configuration = readConfiguration({ environment: name, world, seed, set }, parameters);
      const { settings } = configuration;
      checkScaffolds(amount, settings);
      const hasModel = () => readRewardModelFile(configuration, RELIABLE) !== undefined;
      if (amount.verifier === 'model' && !hasModel()) {
        throw new UsageError(`--verifier: ${missingModel(configuration, RELIABLE).message}`);
      }
      const inputs = filesRead(flags, settings, name);
      return withOutputs(terminal, { json: flags.json }, { inputs }, async ({ json }) => {
        const customTasks = readCustomTasks(name, flags);
        const requested = {
          ...{ checkpoint: flags.checkpoint, engine: flags.engine, customTasks },
          check: (environment: AnyEnvironment) =>
            customTasks && environment.checkSplit?.(flags.split, customTasks.file),
        };
        return withTrainer(terminal, configuration, requested, async (trainer, file) => {
          const world = { environment: name, settings, policy: policyFor(trainer.environment) };
          const measured = await evaluation.measure(trainer, flags.split, amount, terminal, {
            start: () => loadStart(world, undefined).state,
            hasModel,
          });
          if (!measured) throw new Interrupted();
          const { aborted } = terminal.signal;
          const head = { environment: name, checkpoint: file, split: flags.split, seed };
          const partial = aborted ? { partial: true } : {};
          await json?.write(`${JSON.stringify({ ...head, ...partial, ...measured.values }, null, 2)}\n`);
          terminal.out(measured.text);
          if (json) terminal.err(`written to ${show(json.file)}${aborted ? ' (partial)' : ''}\n`);
          return aborted ? EXIT.interrupted : EXIT.done;
        });
      });
    },
  });
});

/**
 * Checks that every k of pass@k is at most the number of samples.
 * @throws {UsageError} with the required number of samples
 */
function checkAmount({ samples = 1, passAt = [] }: Amount): void {
  const over = passAt.find((k) => k > samples);
  if (over !== undefined) {
    throw new UsageError(`--passAt: pass@${over} needs --samples ${over} or more, and --samples is ${samples}`);
  }
}
