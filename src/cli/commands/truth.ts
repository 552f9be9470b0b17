import { isOfTurns } from '../../credit/rule.ts';
import { ruleLabel } from '../../credit/ruleFacts.ts';
import { findRule } from '../../credit/rules.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { errorsByVisits } from '../../experiments/compare/visitMeasure.ts';
import { measureTruth } from '../../experiments/truth/measureTruth.ts';
import { CLEAR } from '../../experiments/truth/trueAdvantages.ts';
import { OFFERED, SEED } from '../../training/data/configurationTables.ts';
import type { GradientReport, Interval, TruthPlan, TruthReport } from '../../training/data/truthReport.ts';
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
import { filesRead, show } from '../framework/policyFiles.ts';
import { alignedTable, two, withProgress } from '../framework/terminal.ts';
import { withTrainer } from '../framework/worldRuns.ts';
import { withOutputs } from '../output/outputs.ts';

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
      const { world, seed, set } = flags;
      const configuration = readConfiguration({ environment: name, world, seed, set }, parameters);
      const { controls, settings } = configuration;
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
        const requested = { checkpoint: flags.checkpoint, engine: flags.engine, capacity };
        return withTrainer(terminal, configuration, requested, async (trainer, file) => {
          const { signal } = terminal;
          const report = await withProgress(terminal, 'batches', name, (progress) =>
            measureTruth(trainer.measurer, plan, { signal, progress }),
          );
          if (!report) throw new Interrupted();
          const head = { environment: name, checkpoint: file, seed, controls };
          const partial = report.groups.length < groups || (gradientGroups > 0 && !report.gradients);
          await json?.write(`${JSON.stringify({ ...head, ...(partial ? { partial } : {}), ...report })}\n`);
          terminal.out(truthText(report));
          if (flags.visits) terminal.out(visitsText(report, seed));
          if (partial) terminal.err(`stopped: ${report.groups.length} of ${groups} groups are complete\n`);
          if (json) terminal.err(`written to ${show(json.file)}\n`);
          return signal.aborted ? EXIT.interrupted : EXIT.done;
        });
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

const signed = (value: number) => (value >= 0 ? `+${two(value)}` : two(value));
const range = ({ value, low, high }: Interval) => `${signed(value)} [${signed(low)}, ${signed(high)}]`;
const percent = (value: number) => (Number.isFinite(value) ? `${(100 * value).toFixed(0)} %` : '-');

/** Formats the table of a measurement, and notes on how to read it. */
export function truthText(report: TruthReport): string {
  const { plan, rules, groups, precision } = report;
  const table = alignedTable(
    [
      'rule',
      'correlation',
      `minus ${ruleLabel(plan.rules[0])}`,
      'wrong sign',
      'no advantage',
      'leakage',
      'clear turns',
      'turns',
    ],
    rules.map(({ rule, correlation, ahead, wrong, silent, leakage, clear, steps }) => [
      ruleLabel(rule),
      range(correlation),
      rule === plan.rules[0] ? '' : range(ahead),
      percent(wrong),
      percent(silent),
      percent(leakage),
      String(clear),
      String(steps),
    ]),
  );
  const { kind, gamma, bonus } = plan.counts;
  const counted =
    kind === 'outcome'
      ? 'the outcome'
      : `the outcome and the rewards of all turns${bonus > 0 ? ` with a validation bonus of ${bonus}` : ''}`;
  const turns = groups.reduce((sum, group) => sum + group.turns.length, 0);
  return [
    table,
    '',
    `Return: ${counted}, ${gamma === 1 ? 'not discounted' : `discounted by ${gamma} per turn`}. ${groups.length} groups ` +
      `(${report.drawn} drawn), ${turns} turns, ${report.histories} histories, ${report.continuations} continuations.`,
    report.continuations === 0
      ? `True advantages: exact under the current policy, standard deviation ${precision.deviation.toFixed(3)}.`
      : `True advantages: standard deviation ${precision.deviation.toFixed(3)}, error ${precision.error.toFixed(3)}, reliability ` +
        `${precision.reliability.toFixed(2)}${dilution(precision.reliability)}.`,
    `Intervals: 95 %, bootstrap over ${report.resampled}. Clear turns: the true advantage is more than ${CLEAR} standard errors ` +
      'from 0; wrong sign and no advantage are shares of the clear turns.',
    ...(report.gradients ? ['', gradientText(report.gradients)] : []),
    '',
  ].join('\n');
}

function gradientText({ groups, halves, rules }: GradientReport): string {
  const table = alignedTable(
    ['gradient', 'cosine of a group', 'of their sum', 'error'],
    rules.map(({ rule, cosine, summed, error }) => [
      ruleLabel(rule),
      range(cosine),
      signed(summed),
      Number.isFinite(error) ? two(error) : '-',
    ]),
  );
  return (
    `${table}\n\nThe cosines compare with the gradient of ${groups} other groups; the gradients of the halves of these groups ` +
    `have a cosine of ${signed(halves)}. truth: the same rollouts with their true advantages.`
  );
}

/**
 * Formats the errors of each rule by the visits of a state, or returns a message if no turn has a state.
 * @param seed seed of the bootstrap for the intervals
 */
function visitsText({ plan, groups }: TruthReport, seed: number): string {
  const rows = plan.rules.flatMap((rule) =>
    errorsByVisits(groups, rule, seed).map(({ from, to, turns, bias, variance }) => [
      ruleLabel(rule),
      to === undefined ? `${from} or more` : from === to ? String(from) : `${from} to ${to}`,
      String(turns),
      range(bias),
      `${variance.value.toFixed(4)} [${variance.low.toFixed(4)}, ${variance.high.toFixed(4)}]`,
    ]),
  );
  if (rows.length === 0) return '\nNo turn has a state, so there are no visits to count.\n';
  const table = alignedTable(['rule', 'visits of the state', 'turns', 'bias', 'variance of the error'], rows);
  return `\n${table}\n\nVisits: rollouts of the group that visit the state. Error: advantage of the rule minus measured advantage; its variance excludes the variance of the measurement.\n`;
}

/** Describes the effect of the errors of the true advantages on correlations. */
function dilution(reliability: number): string {
  if (!(reliability > 0)) return '; the errors exceed the advantages: use more --continuations';
  return `; correlations with the exact advantages would be ${(1 / Math.sqrt(reliability)).toFixed(2)} times as large`;
}
