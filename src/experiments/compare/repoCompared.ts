import type { Trainer } from '../../training/run/trainer.ts';
import { type ComparedEnvironment, measuredColumn, type SpreadColumn } from './compared.ts';
import { curveColumn, TIMES } from './curveColumns.ts';
import { type ArmRun, type ComparisonPlan, curveOf, type Measured, meanOf, updatesTo } from './findings.ts';
import { evaluateRepo } from './heldOutEvaluation.ts';
import { FEW_TASKS, heldOutCompared, heldOutNote, heldOutOptions, spreadNote, TIMES_NOTE } from './heldOutMeasuring.ts';
import { type PairedClaim, pairedVerdicts, type Side } from './pairedClaims.ts';

/** Training solves this share: what `updates` waits for. */
const GOAL = 0.8;

const solved = (run: ArmRun) => run.heldOut.solved ?? NaN;
const RTMC: Side = { rule: 'rtmc' };
const SILENT: Side = { rule: 'rtmc', changes: { kappa: 0 } };

/** What the paper claims, as far as this environment can show it, and what we ask ourselves. */
const CLAIMS: readonly PairedClaim[] = [
  {
    statement: 'RTMC: rewards of steps help (grpo-step over grpo-or, held-out pass@1)',
    higher: { rule: 'grpo-step' },
    lower: { rule: 'grpo-or' },
    of: solved,
  },
  {
    statement: 'RTMC: it beats GRPO-Step (held-out pass@1)',
    higher: RTMC,
    lower: { rule: 'grpo-step' },
    of: solved,
  },
  {
    statement: 'RTMC: without shrinkage it falls behind (rtmc over rtmc:kappa=0, held-out pass@1)',
    higher: RTMC,
    lower: SILENT,
    of: solved,
  },
  {
    statement: 'RTMC: without shrinkage more steps get no credit (rtmc:kappa=0 over rtmc)',
    higher: SILENT,
    lower: RTMC,
    of: (run) => meanOf(run, 'zeroAdvantage'),
  },
  {
    statement: 'RTMC tests before it finishes more often than GRPO',
    higher: RTMC,
    lower: { rule: 'grpo-or' },
    of: (run) => run.heldOut.tested ?? NaN,
  },
];

const EPISODES: SpreadColumn = {
  name: 'episodes',
  title: 'episodes an update',
  format: 'number',
  of: (run, plan) => meanOf(run, 'tasks') * Number(run.arm.changes.groupSize ?? plan.controls.groupSize),
};

const COLUMNS: readonly SpreadColumn[] = [
  measuredColumn('solved', 'pass@1'),
  measuredColumn('tested', 'test before finish', 'share'),
  curveColumn('zeroAdvantage', 'zero advantage', 'share'),
  {
    name: 'updatesToGoal',
    title: `updates to ${100 * GOAL} %`,
    format: 'number',
    of: (run) => updatesTo(curveOf(run, 'solved'), GOAL),
  },
  curveColumn('retained', 'retained', 'share'),
  curveColumn('steps', 'actions', 'number'),
  EPISODES,
  ...TIMES,
];

async function measure(trainer: Trainer, plan: ComparisonPlan, signal: AbortSignal | undefined): Promise<Measured> {
  const { tasks: _, ...measured } = await evaluateRepo(trainer, heldOutOptions(plan, signal));
  return measured;
}

/** Comparisons in the environment of the agent that fixes bugs; an arm is measured by pass@1 on held-out problems. */
export const REPO_COMPARED: ComparedEnvironment = {
  environment: 'repo',
  standard: { arms: ['grpo-or', 'grpo-step', 'rtmc', 'rtmc:kappa=0'], seeds: 3, steps: 80 },
  ...heldOutCompared(measure, 8),
  columns: () => COLUMNS,
  budget: EPISODES,
  drawing: {
    panels: [
      { metric: 'solved', title: 'Solved', note: 'share of episodes' },
      { metric: 'tested', title: 'Tested before finish', note: 'share of episodes' },
    ],
    ...FEW_TASKS,
  },
  notes: (plan) => [
    spreadNote(plan),
    heldOutNote(plan),
    `Zero advantage: steps without credit in groups with different outcomes. Updates to ${100 * GOAL} %: until training ` +
      'solves so many, mean over nine updates; seeds that never do are left out of the mean.',
    TIMES_NOTE,
  ],
  verdicts: (findings, arms) => pairedVerdicts(CLAIMS, findings, arms),
  examples: [
    '--environment repo --rules grpo-or,grpo-step,rtmc,rtmc:kappa=0 --seeds 3 --steps 80',
    '--environment repo --rules rtmc,rtmc:kappa=0:granularity=coarse --learningRate 3e-4 --svg curves.svg',
  ],
};
