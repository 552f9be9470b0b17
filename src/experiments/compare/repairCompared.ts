import type { Trainer } from '../../training/run/trainer.ts';
import { type ComparedEnvironment, measuredColumn, type SpreadColumn } from './compared.ts';
import { curveColumn, TIMES } from './curveColumns.ts';
import { type ArmRun, type ComparisonPlan, type Measured, meanOf } from './findings.ts';
import { evaluateRepair } from './heldOutEvaluation.ts';
import { FEW_TASKS, heldOutCompared, heldOutNote, heldOutOptions, spreadNote, TIMES_NOTE } from './heldOutMeasuring.ts';
import { type PairedClaim, pairedVerdicts, type Side } from './pairedClaims.ts';

/** Attempts of an evaluation. */
const ITERATIONS = 3;

const iter = (attempt: 1 | 3) => (run: ArmRun) => run.heldOut[`iter${attempt}`] ?? NaN;
const MARS: Side = { rule: 'murphy-mars' };
/** Of a share: three points. */
const ALIKE = 0.03;

/** What the papers of the rules claim, as far as this environment can show it, and what we ask ourselves. */
const CLAIMS: readonly PairedClaim[] = [
  {
    statement: 'Training over several turns beats a single turn at Iter-3 (grpo-mt over grpo-or)',
    higher: { rule: 'grpo-mt' },
    lower: { rule: 'grpo-or' },
    of: iter(3),
  },
  {
    statement: 'Murphy: MaRS beats GRPO over several turns at Iter-3',
    higher: MARS,
    lower: { rule: 'grpo-mt' },
    of: iter(3),
  },
  {
    statement: 'Murphy: MaRS beats MeRS at Iter-3',
    higher: MARS,
    lower: { rule: 'murphy-mers' },
    of: iter(3),
  },
  {
    statement: 'Murphy: with InterP MaRS keeps its Iter-3, to 3 points',
    higher: { rule: 'murphy-mars', changes: { inter: true } },
    lower: MARS,
    of: iter(3),
    margin: ALIKE,
  },
  {
    // The paper's loss is 2 to 2.3 points.
    statement: 'Murphy: IntraP costs MaRS points at Iter-3',
    higher: MARS,
    lower: { rule: 'murphy-mars', changes: { intra: true } },
    of: iter(3),
  },
  {
    statement: 'VeRPO: rewards of single tests tie in fewer groups than the outcome does (grpo-mt over verpo)',
    higher: { rule: 'grpo-mt' },
    lower: { rule: 'verpo' },
    of: (run) => meanOf(run, 'degenerate'),
  },
  {
    statement: 'VeRPO: it beats GRPO over several turns at Iter-1',
    higher: { rule: 'verpo' },
    lower: { rule: 'grpo-mt' },
    of: iter(1),
  },
  {
    statement: 'VeRPO: it beats GRPO over several turns at Iter-3',
    higher: { rule: 'verpo' },
    lower: { rule: 'grpo-mt' },
    of: iter(3),
  },
];

const PROGRAMS: SpreadColumn = curveColumn('turns', 'programs an update', 'number');

const COLUMNS: readonly SpreadColumn[] = [
  measuredColumn('iter1', 'Iter-1'),
  measuredColumn('iter3', 'Iter-3'),
  measuredColumn('repairRate', 'repair rate', 'share'),
  curveColumn('degenerate', 'ties, first quarter', 'share', 'first'),
  curveColumn('degenerate', 'ties, last quarter', 'share', 'last'),
  curveColumn('retained', 'retained', 'share'),
  PROGRAMS,
  ...TIMES,
];

async function measure(trainer: Trainer, plan: ComparisonPlan, signal: AbortSignal | undefined): Promise<Measured> {
  const options = { ...heldOutOptions(plan, signal), iterations: ITERATIONS, feedback: 'true' } as const;
  const { episodes, iterations, repairRate, partial, none } = await evaluateRepair(trainer, options);
  const each = iterations.map((share, index) => [`iter${index + 1}`, share] as const);
  return { episodes, ...Object.fromEntries(each), repairRate, partial, none };
}

/** Comparisons in the environment of programs that are refined; an arm is measured by Iter-k on held-out problems. */
export const REPAIR_COMPARED: ComparedEnvironment = {
  environment: 'repair',
  standard: { arms: ['grpo-mt', 'murphy-mars', 'murphy-mers', 'verpo'], seeds: 3, steps: 50 },
  ...heldOutCompared(measure, 4),
  columns: () => COLUMNS,
  budget: PROGRAMS,
  drawing: {
    panels: [
      { metric: 'pass1', title: 'Solved at once', note: 'share of first programs' },
      { metric: 'degenerate', title: 'Ties', note: 'share of groups, own reward' },
    ],
    ...FEW_TASKS,
  },
  notes: (plan) => [
    spreadNote(plan),
    heldOutNote(plan),
    'Ties: groups whose rollouts got the same reward under the rule of the arm, in the first and last quarter of the updates.',
    TIMES_NOTE,
  ],
  verdicts: (findings, arms) => pairedVerdicts(CLAIMS, findings, arms),
  examples: [
    '--environment repair --rules grpo-mt,murphy-mars:inter=2,verpo --seeds 3',
    '--environment repair --rules murphy-mars,murphy-mars:inter=2,verpo:norm=std --json pruning.json',
  ],
};
