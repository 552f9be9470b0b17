import { confidence, mean, standardDeviation } from '../statistics.ts';
import type { Arm, ArmFindings, ArmRun, ProgramEnvironment } from './armComparison.ts';
import { meanOf } from './armTable.ts';

/** An arm that a claim is about: a rule with these parameters changed and no others. */
interface Side {
  readonly rule: string;
  /** Values by the names of a run's controls; true for any value. */
  readonly changes?: Readonly<Record<string, number | string | true>>;
}

/** A claim about two arms: a paper's, which its name stands before, or a question of our own. */
export interface ArmClaim {
  readonly environment: ProgramEnvironment;
  readonly statement: string;
  readonly higher: Side;
  readonly lower: Side;
  readonly of: (run: ArmRun) => number;
  /** How far the one may stay behind the other all the same; 0 where absent. */
  readonly margin?: number;
}

const iter = (attempt: 1 | 3) => (run: ArmRun) => run.heldOut[`iter${attempt}`] ?? NaN;
const solved = (run: ArmRun) => run.heldOut.solved ?? NaN;
const curve = (name: string) => (run: ArmRun) => meanOf(run, name);

const MARS: Side = { rule: 'murphy-mars' };
const RTMC: Side = { rule: 'rtmc' };
const SILENT: Side = { rule: 'rtmc', changes: { kappa: 0 } };
/** Of a share: three points. */
const ALIKE = 0.03;

/** What the papers of the rules claim, as far as these environments can show it, and what we ask ourselves. */
const ARM_CLAIMS: readonly ArmClaim[] = [
  {
    environment: 'repair',
    statement: 'Training over several turns beats a single turn at Iter-3 (grpo-mt over grpo-or)',
    higher: { rule: 'grpo-mt' },
    lower: { rule: 'grpo-or' },
    of: iter(3),
  },
  {
    environment: 'repair',
    statement: 'Murphy: MaRS beats GRPO over several turns at Iter-3',
    higher: MARS,
    lower: { rule: 'grpo-mt' },
    of: iter(3),
  },
  {
    environment: 'repair',
    statement: 'Murphy: MaRS beats MeRS at Iter-3',
    higher: MARS,
    lower: { rule: 'murphy-mers' },
    of: iter(3),
  },
  {
    environment: 'repair',
    statement: 'Murphy: with InterP MaRS keeps its Iter-3, to 3 points',
    higher: { rule: 'murphy-mars', changes: { inter: true } },
    lower: MARS,
    of: iter(3),
    margin: ALIKE,
  },
  {
    environment: 'repair',
    // The paper's loss is 2 to 2.3 points.
    statement: 'Murphy: IntraP costs MaRS points at Iter-3',
    higher: MARS,
    lower: { rule: 'murphy-mars', changes: { intra: true } },
    of: iter(3),
  },
  {
    environment: 'repair',
    statement: 'VeRPO: rewards of single tests tie in fewer groups than the outcome does (grpo-mt over verpo)',
    higher: { rule: 'grpo-mt' },
    lower: { rule: 'verpo' },
    of: curve('degenerate'),
  },
  {
    environment: 'repair',
    statement: 'VeRPO: it beats GRPO over several turns at Iter-1',
    higher: { rule: 'verpo' },
    lower: { rule: 'grpo-mt' },
    of: iter(1),
  },
  {
    environment: 'repair',
    statement: 'VeRPO: it beats GRPO over several turns at Iter-3',
    higher: { rule: 'verpo' },
    lower: { rule: 'grpo-mt' },
    of: iter(3),
  },
  {
    environment: 'repo',
    statement: 'RTMC: rewards of steps help (grpo-step over grpo-or, held-out pass@1)',
    higher: { rule: 'grpo-step' },
    lower: { rule: 'grpo-or' },
    of: solved,
  },
  {
    environment: 'repo',
    statement: 'RTMC: it beats GRPO-Step (held-out pass@1)',
    higher: RTMC,
    lower: { rule: 'grpo-step' },
    of: solved,
  },
  {
    environment: 'repo',
    statement: 'RTMC: without shrinkage it falls behind (rtmc over rtmc:kappa=0, held-out pass@1)',
    higher: RTMC,
    lower: SILENT,
    of: solved,
  },
  {
    environment: 'repo',
    statement: 'RTMC: without shrinkage more steps get no credit (rtmc:kappa=0 over rtmc)',
    higher: SILENT,
    lower: RTMC,
    of: curve('zeroAdvantage'),
  },
  {
    environment: 'repo',
    statement: 'RTMC tests before it finishes more often than GRPO',
    higher: RTMC,
    lower: { rule: 'grpo-or' },
    of: (run) => run.heldOut.tested ?? NaN,
  },
];

export type ArmStatus = 'appears' | 'does not appear' | 'undecided';

/** A claim put to the test. */
export interface ArmVerdict {
  readonly statement: string;
  readonly status: ArmStatus;
  /** Differences of seeds in numbers. */
  readonly found: string;
  /** Why it is undecided. */
  readonly reason?: string;
}

/** All claims that the findings have both arms of. */
export function armVerdicts({ plan, runs }: ArmFindings, arms: readonly Arm[]): ArmVerdict[] {
  return ARM_CLAIMS.filter(({ environment }) => environment === plan.environment).flatMap((claim) => {
    // Several arms may fit, murphy-mars:inter=1 and murphy-mars:inter=2: each is a test of its own.
    const of = (side: Side) => arms.filter((arm) => fits(arm, side));
    return of(claim.higher).flatMap((higher) =>
      of(claim.lower).flatMap((lower) => {
        const differences = paired(claim, runs, higher, lower);
        return differences.length === 0 ? [] : [verdict(claim, [higher, lower], differences)];
      }),
    );
  });
}

function fits({ rule, changes }: Arm, side: Side): boolean {
  const wanted = Object.entries(side.changes ?? {});
  const same = wanted.every(([name, value]) => name in changes && (value === true || changes[name] === value));
  return rule === side.rule && same && Object.keys(changes).length === wanted.length;
}

/** [seeds that both arms have] how far the one is above the other. */
function paired({ of }: ArmClaim, runs: readonly ArmRun[], higher: Arm, lower: Arm): number[] {
  const ofArm = (name: string) => runs.filter(({ arm }) => arm.name === name);
  return ofArm(higher.name).flatMap((run) => {
    const other = ofArm(lower.name).find(({ seed }) => seed === run.seed);
    const difference = other ? of(run) - of(other) : NaN;
    return Number.isFinite(difference) ? [difference] : [];
  });
}

/**
 * A claim appears where the 95 % interval of the mean difference (Student's t over the seeds) lies above what it asks for; it
 * does not where the mean is no higher than that. Between the two, and on one seed, nothing is said.
 */
function verdict(
  { statement: general, higher, lower, margin = 0 }: ArmClaim,
  arms: readonly [Arm, Arm],
  differences: number[],
): ArmVerdict {
  const of = [higher, lower].findIndex(({ changes = {} }) => Object.values(changes).includes(true));
  const statement = of < 0 ? general : `${general} (${arms[of]?.name})`;
  const [middle, deviation] = [mean(differences), standardDeviation(differences)];
  const above = differences.filter((difference) => difference > -margin).length;
  const points = (value: number) => (100 * value).toFixed(1);
  const signed = `${middle < 0 ? '' : '+'}${points(middle)}`;
  const seeds = differences.length;
  if (seeds === 1) {
    return { statement, status: 'undecided', found: `${signed} points on 1 seed`, reason: 'one seed decides nothing' };
  }
  const half = confidence(differences);
  const found = `${signed} ± ${points(deviation)} points, ${above} of ${seeds} seeds, 95 % interval ± ${points(half)}`;
  if (middle + margin <= 0) return { statement, status: 'does not appear', found };
  if (middle + margin > half) return { statement, status: 'appears', found };
  return {
    statement,
    status: 'undecided',
    found,
    reason: 'the 95 % interval of the difference is wider than the difference; it takes more seeds',
  };
}
