import { join } from 'node:path';
import { isCustomRule } from '../../credit/rules/custom/customRule.ts';
import { RULES } from '../../credit/rules.ts';
import type { CustomRules } from '../../customRules/customRules.ts';
import { type ChallengeTask, loadTask, TASK_NAMES, type TaskName } from '../../experiments/challenge/challengeTask.ts';
import { createTask, KINDS } from '../../experiments/challenge/createTask.ts';
import { computeCustomRule, judgeTask, type Score, type ScoredTask } from '../../experiments/challenge/judgeRule.ts';
import { CLEAR } from '../../experiments/truth/trueAdvantages.ts';
import type { Interval } from '../../training/data/truthReport.ts';
import { openingRun } from '../../training/data/worlds.ts';
import { defineCommand } from '../framework/command.ts';
import { isRuleFile, readRules, withCustomRules } from '../framework/customRuleFiles.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, integerFlag, text } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable, type Terminal, two, withProgress } from '../framework/terminal.ts';
import { withTrainer } from '../framework/worldRuns.ts';
import { withOutputs } from '../output/outputs.ts';

/** Number of sequences per batch of continuations. */
const SEQUENCES = 256;

/** Command that scores rules against the measured advantages of the challenge, or measures these advantages. */
export const challengeCommand = defineCommand({
  name: 'challenge',
  summary: 'score credit rules, including your own, against measured advantages',
  description:
    'Computes credit rules on the groups of the challenge (docs/use/challenge.md), whose true advantages were measured or are exact. ' +
    'Prints the correlation, wrong signs and gradient cosine of each rule with 95 % intervals, together with every built-in rule that ' +
    'applies. A Python file is a rule; its parameters follow after colons: ./my_rule.py:alpha=0.5. With --make it measures the groups ' +
    'again, which needs a device.',
  operands: {
    placeholder: 'RULE',
    help: 'Credit rules, and paths of Python files with a rule.',
    least: 0,
    maximum: 20,
  },
  flags: {
    task: choice('Task to score, or all.', ['all', ...TASK_NAMES], 'all'),
    json: text('FILE', 'Write the scores to this file as JSON.'),
    make: text(
      'FOLDER',
      'Sample and measure the groups, and write one file per task to this folder. The repository uses ' +
        'src/experiments/challenge/tasks.',
    ),
    groups: integerFlag('Groups per task, with --make.', { min: 2, max: 100, default: 12 }),
    continuations: integerFlag('Continuations from the state before each turn, with --make.', {
      min: 2,
      max: 10_000,
      default: 128,
    }),
    gradientGroups: integerFlag('Groups of the large batch, with --make.', { min: 2, max: 100_000, default: 1_024 }),
    seed: integerFlag('Seed of the rollouts that --make samples.', { min: 0, max: 2 ** 31, default: 18 }),
  },
  parameters: [],
  examples: [
    './my_rule.py',
    './my_rule.py:alpha=0.5 mt-grpo --task ties',
    '--make src/experiments/challenge/tasks --task tree',
  ],
  async run({ flags, operands }, terminal) {
    const names = flags.task === 'all' ? TASK_NAMES : TASK_NAMES.filter((name) => name === flags.task);
    if (flags.make === undefined) return judge(names, operands, flags.json, terminal);
    if (operands.length > 0 || flags.json !== undefined) throw new UsageError('--make takes no RULE and no --json');
    for (const name of names) await make(name, flags.make, flags, terminal);
    return EXIT.done;
  },
});

async function judge(
  names: readonly TaskName[],
  operands: readonly string[],
  file: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const tasks = await Promise.all(names.map(loadTask));
  const unknown = operands.find(
    (operand) => !isRuleFile(operand.split(':')[0]) && !RULES.some(({ name }) => name === operand),
  );
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is neither a credit rule nor a file that ends in .py`);
  return withOutputs(terminal, { json: file }, {}, async ({ json }) => {
    const results = await evaluateTasks(tasks, operands);
    await json?.write(`${JSON.stringify(results)}\n`);
    terminal.out(challengeText(results));
    if (json) terminal.err(`written to ${show(json.file)}\n`);
    return EXIT.done;
  });
}

/**
 * Returns the results of the rules in each task: first the rules that the command line names, then the built-in rules.
 */
async function evaluateTasks(
  tasks: readonly ChallengeTask[],
  operands: readonly string[],
): Promise<readonly ScoredTask[]> {
  const work = async (customRules?: CustomRules) => {
    const requested = await readRules(operands, 'RULE', customRules);
    const all: ScoredTask[] = [];
    for (const task of tasks) {
      for (const name of requested.filter(isCustomRule))
        await computeCustomRule(task, name, (rule, groups) => customRules?.work(rule, groups, 'turn'));
      all.push(judgeTask(task, requested));
    }
    return all;
  };
  return operands.some((operand) => isRuleFile(operand.split(':')[0])) ? withCustomRules(work) : work();
}

async function make(
  name: TaskName,
  folder: string,
  plan: {
    readonly groups: number;
    readonly continuations: number;
    readonly gradientGroups: number;
    readonly seed: number;
  },
  terminal: Terminal,
): Promise<void> {
  const kind = KINDS[name];
  const usual = openingRun(kind.environment);
  const configuration = {
    ...{ ...usual, seed: plan.seed },
    settings: { ...usual.settings, ...kind.settings },
    controls: { ...usual.controls, ...kind.controls },
  };
  const policy = { checkpoint: undefined, engine: 'exact', capacity: { sequences: SEQUENCES } } as const;
  await withOutputs(terminal, { make: join(folder, `${name}.json`) }, {}, ({ make: output }) =>
    withTrainer(terminal, configuration, policy, async (trainer) => {
      const { signal } = terminal;
      const created = await withProgress(terminal, name, 'groups', (report) =>
        createTask(trainer.measurer, name, plan, { signal, progress: (done) => report(done, plan.groups) }),
      );
      if (!created) throw new Interrupted();
      await output.write(`${JSON.stringify(created)}\n`);
      terminal.err(`written to ${show(output.file)}\n`);
    }),
  );
}

const range = ({ value, low, high }: Interval) => `${two(value)} [${two(low)}, ${two(high)}]`;
const share = ({ value, low, high }: Interval) => {
  const percent = (fraction: number) => (Number.isFinite(fraction) ? (100 * fraction).toFixed(0) : '-');
  return `${percent(value)} % [${percent(low)}, ${percent(high)}]`;
};

/** Formats one table per task, and notes on how to read it. */
function challengeText(results: readonly ScoredTask[]): string {
  const tables = results.map(({ task, groups, turns, rules, truth }) => {
    const rows = rules.flatMap((entry) => (entry.rejection === undefined ? [[entry.rule, ...cells(entry.score)]] : []));
    const rejected = rules.flatMap((entry) =>
      entry.rejection === undefined ? [] : [`${entry.rule} cannot read these groups: ${entry.rejection}\n`],
    );
    const head = `${task}: ${groups} groups, ${turns} turns, ${truth.clear} of them clear`;
    const titles = ['rule', 'correlation', 'wrong sign', 'no advantage', 'cosine of a group'];
    return `${head}\n${alignedTable(titles, [...rows, ['truth', ...cells(truth)]])}\n${rejected.join('')}`;
  });
  return `${tables.join('\n')}\n${[
    `Intervals: 95 %, bootstrap over groups. Clear turns: the true advantage is more than ${CLEAR} standard errors from 0; wrong sign`,
    'and no advantage are shares of the clear turns. truth: the measured advantages.',
  ].join(' ')}\n`;
}

function cells(score: Score): readonly string[] {
  return [range(score.correlation), share(score.wrong), share(score.silent), range(score.cosine)];
}
