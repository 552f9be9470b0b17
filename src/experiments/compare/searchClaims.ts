import { defaults, type ParameterTable, type ParameterValues } from '../../parameters/parameters.ts';
import { CONTROLS, SETTINGS } from '../../training/data/configurationTables.ts';
import { ending, mean } from '../statistics.ts';
import type { Verdict } from './compared.ts';
import { type Arm, type ArmRun, curveOf, type Findings } from './findings.ts';
import type { Rates } from './rates.ts';

/** Where a run ended: means over its last steps. */
export interface Ending {
  readonly toolUse: number;
  readonly answer: number;
}

/** A claim about a rule: how many of five seeds must end how. */
export interface RuleClaim {
  readonly rule: string;
  readonly statement: string;
  /** Share of the seeds that must do so. */
  readonly share: number;
  readonly holds: (end: Ending) => boolean;
}

/** What the collapse and the rescue are: the claims that `turnwise compare` puts to the test. */
const RULE_CLAIMS: readonly RuleClaim[] = [
  {
    rule: 'grpo-or',
    statement: 'GRPO-OR loses the tool: tool use ends below 0.05, answers end between 0.30 and 0.55',
    share: 4 / 5,
    holds: ({ toolUse, answer }) => toolUse < 0.05 && answer >= 0.3 && answer <= 0.55,
  },
  {
    rule: 'mt-grpo',
    statement: 'MT-GRPO keeps the tool and learns to read: tool use ends above 0.95, answers above 0.80',
    share: 1,
    holds: ({ toolUse, answer }) => toolUse > 0.95 && answer > 0.8,
  },
  {
    rule: 'grpo-mr',
    statement: 'GRPO-MR keeps the tool and learns to read: tool use ends above 0.95, answers above 0.80',
    share: 1,
    holds: ({ toolUse, answer }) => toolUse > 0.95 && answer > 0.8,
  },
  {
    rule: 'ppo-or',
    statement: 'PPO-OR loses the tool: tool use ends below 0.05, answers end between 0.30 and 0.55',
    share: 4 / 5,
    holds: ({ toolUse, answer }) => toolUse < 0.05 && answer >= 0.3 && answer <= 0.55,
  },
  {
    rule: 'mt-ppo',
    statement: 'MT-PPO keeps the tool and learns to read: tool use ends above 0.95, answers above 0.80',
    share: 1,
    holds: ({ toolUse, answer }) => toolUse > 0.95 && answer > 0.8,
  },
  {
    rule: 'ppo-mr',
    statement: 'PPO-MR keeps the tool and learns to read: tool use ends above 0.95, answers above 0.80',
    share: 1,
    holds: ({ toolUse, answer }) => toolUse > 0.95 && answer > 0.8,
  },
];

/** What the standard warm start does before training. `required` rates are part of the acceptance. */
export interface BaseClaim {
  readonly rate: Exclude<keyof Rates, 'episodes'>;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly required: boolean;
}

const within = (rate: BaseClaim['rate'], label: string, expected: number, required = true): BaseClaim => {
  const bound = (value: number) => Number(value.toFixed(3));
  return { rate, label, from: bound(expected - 0.05), to: bound(expected + 0.05), required };
};

export const BASE_CLAIMS: readonly BaseClaim[] = [
  within('toolUse', 'tool use', 0.57),
  within('retrieval', 'document holds the answer', 0.41),
  within('answer', 'right answer', 0.11),
  within('format', 'well-formed answer', 0.87),
  { rate: 'answerGivenRetrieval', label: 'right, document holds it', from: 0.05, to: 0.08, required: false },
  { rate: 'answerWithoutSearch', label: 'right, without a search', from: 0.17, to: 0.25, required: false },
  within('entropy', 'entropy, nats', 1.23, false),
];

/** The claims are about at least so many seeds and updates, of the standard world and training. */
const SEEDS = 5;
const UPDATES = 120;

/** Why findings can decide none of the claims; undefined where they can. */
function undecidable({ plan }: Findings): string | undefined {
  const differs = (table: ParameterTable, values: ParameterValues, beside: string) =>
    Object.entries(defaults(table)).find(([name, value]) => name !== beside && values[name] !== value)?.[0];
  const other = differs(SETTINGS, plan.settings, 'warmSeed') ?? differs(CONTROLS, plan.controls, 'rule');
  if (other) return `the claims are about the standard run, and ${other} is not standard here`;
  return plan.steps < UPDATES ? `the claims are about ${UPDATES} updates` : undefined;
}

/** Puts all claims to the test that the findings have something to say about. */
export function searchVerdicts(findings: Findings, arms: readonly Arm[]): Verdict[] {
  const reason = undecidable(findings);
  const asked = new Set(arms.map(({ name }) => name));
  // The claims are about rules as they are: an arm's name is its rule's where nothing is changed.
  const runsOf = (rule: string) => findings.runs.filter(({ arm }) => arm.name === rule && asked.has(rule));
  const rules = RULE_CLAIMS.flatMap((claim): Verdict[] => {
    const ends = runsOf(claim.rule).map(endOf);
    return ends.length === 0 ? [] : [ruleVerdict(claim, ends, reason)];
  });
  return [...baseVerdicts(findings), ...rules];
}

function endOf(run: ArmRun): Ending {
  return { toolUse: ending(curveOf(run, 'toolUse')), answer: ending(curveOf(run, 'answer')) };
}

function ruleVerdict(claim: RuleClaim, ends: readonly Ending[], undecided: string | undefined): Verdict {
  const count = ends.filter(claim.holds).length;
  const needed = Math.ceil(claim.share * ends.length - 1e-9);
  const reason = undecided ?? (ends.length < SEEDS ? `the claim is about ${SEEDS} seeds` : undefined);
  const found = `${count} of ${ends.length} seeds, ${needed} needed`;
  if (reason) return { statement: claim.statement, status: 'undecided', found, reason };
  return { statement: claim.statement, status: count >= needed ? 'reproduced' : 'not reproduced', found };
}

function baseVerdicts(findings: Findings): Verdict[] {
  if (findings.base.length === 0) return [];
  const undecided = undecidable({ ...findings, plan: { ...findings.plan, steps: UPDATES } });
  return BASE_CLAIMS.filter(({ required }) => required).map((claim) => {
    const value = mean(findings.base.map(({ measured }) => measured[claim.rate] ?? NaN));
    const statement = `Warm start, ${claim.label}: ${claim.from} to ${claim.to}`;
    const found = value.toFixed(3);
    if (undecided) return { statement, status: 'undecided', found, reason: undecided };
    return { statement, status: inside(claim, value) ? 'reproduced' : 'not reproduced', found };
  });
}

/** Whether a measured rate is what the claim says. */
export function inside({ from, to }: BaseClaim, value: number): boolean {
  return value >= from && value <= to;
}
