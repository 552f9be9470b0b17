import { isOfTurns } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { measureTruth, type TruthPlan } from '../../experiments/truth/measureTruth.ts';
import { OFFERED, SEED } from '../../training/data/configurationTables.ts';
import { defineCommand } from '../framework/command.ts';
import {
  controlSections,
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
  worldFlag,
} from '../framework/configurationFlags.ts';
import { ENGINE } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, choiceListFlag, type Flag, integerFlag, number, text, toggle } from '../framework/flags.ts';
import { withTrainer } from '../framework/loadedTrainer.ts';
import { isRuleFile, readRules } from '../framework/ownRuleFiles.ts';
import { filesRead, show } from '../framework/policyFiles.ts';
import { Progress } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { truthText, visitsText } from './truthText.ts';

/** Sequences of a batch: continuations need no backward pass, so there may be more than a training batch has. */
const SEQUENCES = 256;

/** Measures true advantages by continuations, and the rules against them. */
export const truthCommand = perEnvironment((tables) => {
  const { name } = tables.environment;
  const rules = OFFERED[name].filter((rule) => isOfTurns(findRule(rule)));
  return defineCommand({
    name: 'truth',
    summary: "measure the true advantage of every turn, and the rules' advantages against it",
    description:
      'Plays groups of rollouts, goes back to before every turn and lets the same policy continue from exactly there many ' +
      'times. The mean return before a turn is V, after it Q, and Q - V the true advantage. Prints for each rule the ' +
      'correlation of its advantages with the true ones on the very same rollouts, how often their signs are wrong, and the ' +
      "cosine of a group's gradient with that of a large batch. " +
      'Groups are chains, or trees with --set rule=RULE for one that reads them; rules of chains then take every rollout by ' +
      'itself. Nothing is learned. Ctrl-C stops, and reports the groups that are complete; --json then says "partial": true. See docs/learn/truth.md.',
    flags: {
      environment: ENVIRONMENT,
      engine: ENGINE,
      ...worldFlag(tables),
      rules: rulesFlag(rules),
      groups: integerFlag('Groups to measure.', { min: 1, max: 1_000, default: 16 }),
      continuations: integerFlag('Continuations from before every turn.', { min: 2, max: 10_000, default: 64 }),
      return: choice(
        'What counts: what the episode ends with, or that and what every turn earns (validation bonus included).',
        ['outcome', 'rewards'],
        'outcome',
      ),
      discount: number({
        kind: 'number',
        name: '',
        label: '',
        help: 'Discount of the return a turn.',
        default: 1,
        min: 0,
        max: 1,
        step: 0.01,
      }),
      gradientGroups: integerFlag(
        "Groups of the large batch that each group's gradient is set against, 2 at least; 0 leaves gradients out.",
        { min: 0, max: 100_000, default: 256 },
      ),
      ties: choice('Groups whose episodes all end alike: draw others, or keep them.', ['skip', 'keep'], 'skip'),
      split: choice('Tasks: those of training, or those never met there.', ['train', 'held-out'], 'train'),
      visits: toggle("Print each rule's bias and the variance of its error by the visits of a state, too."),
      checkpoint: text('FILE', 'A checkpoint, or a run kept by train --save; without it, the warm start of the world.'),
      seed: number(SEED),
      json: text('FILE', 'Write everything here, with the numbers of every turn.'),
      set: setFlag([...tables.settings, ...tables.controls]),
    },
    parameters: [...controlSections(tables), ...settingSections(tables)],
    examples: [
      '--groups 32',
      '--environment repair --rules grpo-mt,verpo --continuations 128',
      '--environment repo --rules grpo-or,grpo-step,rtmc --groups 16 --json truth.json',
      '--environment repo --rules rtmc --return rewards --discount 0.99 --visits',
      '--rules mt-grpo,./my_rule.py:alpha=0.5 --groups 16',
    ],
    async run({ flags, parameters }, terminal) {
      const given = { ...Object.fromEntries(flags.set.flat()), ...parameters };
      const configuration = readConfiguration(
        { environment: flags.environment, world: flags.world, seed: flags.seed },
        given,
      );
      const { controls, seed, settings } = configuration;
      const { groups, continuations, gradientGroups, split, ties, discount: gamma } = flags;
      if (gradientGroups === 1) throw new UsageError('--gradientGroups: 1 group is no large batch; 0, or 2 or more');
      const bonus = Number(controls.bonus ?? 0);
      const plan: TruthPlan = {
        rules: await readRules(flags.rules, '--rules'),
        groups,
        continuations,
        gradientGroups,
        split,
        ties,
        counts: { kind: flags.return, gamma, bonus },
      };
      const inputs = filesRead(flags, settings, name);
      return withOutputs(terminal, { json: flags.json }, { inputs }, async ({ json }) => {
        const capacity = { sequences: Math.max(SEQUENCES, ENVIRONMENTS[name].capacity.sequences) };
        let progress: Progress | undefined;
        try {
          return await withTrainer(
            terminal,
            configuration,
            { checkpoint: flags.checkpoint, engine: flags.engine, capacity },
            async (trainer, file) => {
              const report = await measureTruth(trainer, plan, {
                signal: terminal.signal,
                progress: (_, all) => {
                  progress ??= new Progress(terminal, all);
                  progress.advance('batches', `${name}`);
                },
              });
              progress?.close();
              if (!report) throw new Interrupted();
              const head = { environment: name, checkpoint: file, seed, controls };
              const partial = report.groups.length < groups || (gradientGroups > 0 && !report.gradients);
              await json?.write(`${JSON.stringify({ ...head, ...(partial ? { partial } : {}), ...report })}\n`);
              terminal.out(truthText(report));
              if (flags.visits) terminal.out(visitsText(report, seed));
              if (partial) terminal.err(`stopped: ${report.groups.length} of ${groups} groups are complete\n`);
              if (json) terminal.err(`written to ${show(json.file)}\n`);
              return terminal.signal.aborted ? EXIT.interrupted : EXIT.done;
            },
          );
        } finally {
          progress?.close();
        }
      });
    },
  });
});

/** Names of rules, and paths of files with their parameters behind colons. */
function rulesFlag(rules: readonly string[]): Flag<readonly string[]> {
  const help =
    'Rules to measure; one with a critic takes that of --checkpoint. A file in Python is one too, its parameters behind ' +
    'colons: ./my_rule.py:alpha=0.5.';
  const known = choiceListFlag(help, rules, rules.slice(0, 3));
  return {
    ...known,
    add(before, given, name) {
      const all = given.split(',').map((term) => term.trim());
      const named = all.filter((term) => !isRuleFile(term.split(':')[0]));
      if (named.length > 0) known.add(before, named.join(','), name);
      if (new Set(all).size < all.length) throw new UsageError(`--${name}: "${given}" names one of them twice`);
      return all;
    },
  };
}
