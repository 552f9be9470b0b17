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
import { isRuleFile, readRules } from '../framework/customRuleFiles.ts';
import { ENGINE } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, choiceListFlag, type Flag, integerFlag, number, text, toggle } from '../framework/flags.ts';
import { withTrainer } from '../framework/loadedTrainer.ts';
import { filesRead, show } from '../framework/policyFiles.ts';
import { Progress } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { truthText, visitsText } from './truthText.ts';

/** Sequences per batch. Continuations need no backward pass, so this can be more than in training. */
const SEQUENCES = 256;

/** Command that measures true advantages by continuations, and compares the rules with them. */
export const truthCommand = perEnvironment((tables) => {
  const { name } = tables.environment;
  const rules = OFFERED[name].filter((rule) => isOfTurns(findRule(rule)));
  return defineCommand({
    name: 'truth',
    summary: 'measure the true advantage of every turn, and compare the rules with it',
    description:
      'Samples groups of rollouts, returns to the state before every turn, and samples many continuations of the same policy ' +
      'from there. The mean return before a turn is V, after it Q, and Q - V is the true advantage. Prints for each rule the ' +
      'correlation of its advantages with the true advantages on the same rollouts, the share of wrong signs, and the cosine ' +
      "of a group's gradient with the gradient of a large batch. " +
      'Groups are chains, or trees with --set rule=RULE for a rule that reads trees; a rule of chains then reads every rollout ' +
      'separately. The policy is not trained. Ctrl-C stops and reports the complete groups; --json then has "partial": true. See docs/learn/truth.md.',
    flags: {
      environment: ENVIRONMENT,
      engine: ENGINE,
      ...worldFlag(tables),
      rules: rulesFlag(rules),
      groups: integerFlag('Groups to measure.', { min: 1, max: 1_000, default: 16 }),
      continuations: integerFlag('Continuations from the state before each turn.', {
        min: 2,
        max: 10_000,
        default: 64,
      }),
      return: choice(
        'Return of an episode: its outcome, or its outcome and the rewards of all turns (validation bonus included).',
        ['outcome', 'rewards'],
        'outcome',
      ),
      discount: number({
        kind: 'number',
        name: '',
        label: '',
        help: 'Discount factor of the return per turn.',
        default: 1,
        min: 0,
        max: 1,
        step: 0.01,
      }),
      gradientGroups: integerFlag(
        "Groups of the large batch whose gradient each group's gradient is compared with, at least 2; 0 skips gradients.",
        { min: 0, max: 100_000, default: 256 },
      ),
      ties: choice('Groups with equal outcomes: skip them and draw others, or keep them.', ['skip', 'keep'], 'skip'),
      split: choice('Training tasks or held-out tasks.', ['train', 'held-out'], 'train'),
      visits: toggle('Also print the bias of each rule and the variance of its error, by the visits of a state.'),
      checkpoint: text(
        'FILE',
        'A checkpoint, or a run saved by train --save; the default is the warm start of the world.',
      ),
      seed: number(SEED),
      json: text('FILE', 'Write all results to this file as JSON, with the numbers of every turn.'),
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
      if (gradientGroups === 1) throw new UsageError('--gradientGroups: 1 group is not a batch; use 0, or 2 or more');
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

/** Creates the flag with names of rules, and with paths of rule files whose parameters follow after colons. */
function rulesFlag(rules: readonly string[]): Flag<readonly string[]> {
  const help =
    'Rules to measure. A rule with a critic uses the critic of --checkpoint. A Python file is a rule; its parameters follow ' +
    'after colons: ./my_rule.py:alpha=0.5.';
  const known = choiceListFlag(help, rules, rules.slice(0, 3));
  return {
    ...known,
    add(before, given, name) {
      const all = given.split(',').map((term) => term.trim());
      const named = all.filter((term) => !isRuleFile(term.split(':')[0]));
      if (named.length > 0) known.add(before, named.join(','), name);
      if (new Set(all).size < all.length) throw new UsageError(`--${name}: "${given}" names a rule twice`);
      return all;
    },
  };
}
