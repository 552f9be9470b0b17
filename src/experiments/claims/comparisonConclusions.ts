import { type Experiment, PAPERS, type Paper } from '../../environments/claim.ts';
import type { BaseClaim, EnvironmentComparison } from '../../environments/declaredComparison.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { EVALUATION_NAMES } from '../../training/data/controls.ts';
import { plainWorld, standardRun, worldOf } from '../../training/data/worlds.ts';
import type { Arm } from '../compare/arms.ts';
import { COMPARED } from '../compare/comparedEnvironments.ts';
import type { ComparisonPlan, Findings } from '../compare/findings.ts';
import { mean } from '../statistics.ts';
import { sharedOf } from './claimRuns.ts';
import { effectText, uncorrectedConclusion } from './conclusionText.ts';
import type { Status } from './judge.ts';
import { inside, type Outcome, outcomesOf } from './outcome.ts';
import { ALL_CLAIMS } from './readClaims.ts';

// Conclusions of a comparison. The tests of the claims about its world are evaluated on all its seeds and are not
// corrected. The Lab evaluates the same tests on fixed numbers of seeds, and corrects them for all tests of a paper.

/** Conclusion of a test, or comparison of a warm start with its expected rate. */
export interface ComparisonConclusion {
  readonly statement: string;
  readonly status: Status | 'in the range' | 'outside';
  /** Result in numbers, for display. */
  readonly finding: string;
  /** Reason why the test is open; absent for a decided test. */
  readonly reason?: string;
}

/** Returns the conclusions of all tests for which the requested arms have runs. */
export function conclusionsOf(findings: Findings, arms: readonly Arm[]): readonly ComparisonConclusion[] {
  const { plan } = findings;
  const requested = new Set(arms.map(({ name }) => name));
  const tested = {
    findings: { ...findings, runs: findings.runs.filter(({ arm }) => requested.has(arm.name)) },
    ...{ arms, allSeeds: true },
  };
  // Several experiments can have the same statement about the same arms. One that this comparison can decide is preferred.
  const conclusions = new Map<string, { readonly conclusion: ComparisonConclusion; readonly isDecidable: boolean }>();
  for (const { paper, experiments } of ALL_CLAIMS) {
    for (const experiment of experiments.filter((candidate) => isAbout(candidate, plan))) {
      for (const outcome of outcomesOf(experiment.tests, tested)) {
        const reason = undecidable(outcome, experiment, plan);
        const conclusion = conclusionOf(outcome, paper, reason);
        const isDecidable = reason === undefined;
        const known = conclusions.get(conclusion.statement);
        if (!known || (isDecidable && !known.isDecidable)) {
          conclusions.set(conclusion.statement, { conclusion, isDecidable });
        }
      }
    }
  }
  return [...warmStartConclusions(findings), ...[...conclusions.values()].map(({ conclusion }) => conclusion)];
}

/**
 * Returns true if a plan has the world of an experiment and the settings and controls that the experiment names.
 * Measurements during training may differ. Experiments that measure times require an idle machine, so they are omitted.
 */
function isAbout({ environment, world, settings, controls, idle }: Experiment, plan: ComparisonPlan): boolean {
  const planWorld = worldOf(plan) ?? plainWorld(plan.environment);
  return (
    environment === plan.environment &&
    !idle &&
    (world === undefined || world === planWorld?.name) &&
    !findDifference({ ...plan.settings, ...plan.controls }, { ...settings, ...controls }, EVALUATION_NAMES)
  );
}

/**
 * Returns the reason why a comparison cannot decide a test; undefined if it can. A difference of two arms is tested with
 * any shared settings. Other tests require those of the experiment.
 */
function undecidable({ kind }: Outcome, experiment: Experiment, plan: ComparisonPlan): string | undefined {
  if (plan.steps < experiment.steps) return `the claim is about ${experiment.steps} updates`;
  if (kind === 'paired') return undefined;
  const shared = sharedOf(experiment);
  const difference =
    findDifference(plan.settings, shared.settings, ['warmSeed']) ??
    findDifference(plan.controls, shared.controls, EVALUATION_NAMES);
  return difference && `the claims are about the standard run, and ${difference} is not standard here`;
}

/** Returns the first name whose value differs from the expected value. */
function findDifference(
  values: ParameterValues,
  expected: ParameterValues,
  ignored: readonly string[],
): string | undefined {
  return Object.keys(expected).find((name) => !ignored.includes(name) && values[name] !== expected[name]);
}

/** @param reason why the comparison cannot decide the test, if it cannot */
function conclusionOf(outcome: Outcome, paper: Paper | undefined, reason: string | undefined): ComparisonConclusion {
  const { test } = outcome;
  const seeds = outcome.kind === 'paired' ? `, ${outcome.differences.length} seeds` : '';
  const conclusion = {
    statement: `${paper ? `${PAPERS[paper].name}: ` : ''}${test.statement}`,
    finding: `${effectText(outcome)}${seeds}`,
  };
  if (reason) return { ...conclusion, status: 'open', reason };
  return { ...conclusion, ...uncorrectedConclusion(outcome) };
}

/**
 * Returns the expected rates of the warm start in the world of a run, and the first setting that differs from the
 * standard run. `warmSeed` is ignored, because it does not identify the world.
 */
export function warmStartRates(
  warmStarts: EnvironmentComparison['warmStarts'],
  run: Pick<RunConfiguration, 'environment' | 'settings'>,
): { readonly rates: readonly BaseClaim[]; readonly changed: string | undefined } {
  const world = worldOf(run) ?? plainWorld(run.environment);
  return {
    rates: warmStarts?.find((warmStart) => warmStart.world === world?.name)?.rates ?? [],
    changed: findDifference(run.settings, standardRun(run.environment, world).settings, ['warmSeed']),
  };
}

function warmStartConclusions({ plan, base }: Findings): readonly ComparisonConclusion[] {
  const { rates, changed } = warmStartRates(COMPARED[plan.environment].warmStarts, plan);
  if (base.length === 0) return [];
  const reason =
    changed && `the rates of the warm start are those of the standard run, and ${changed} is not standard here`;
  return rates
    .filter(({ required }) => required)
    .map((claim) => {
      const value = mean(base.map(({ measured }) => measured[claim.rate] ?? NaN));
      const statement = `Warm start, ${claim.label}: ${claim.from} to ${claim.to}`;
      const finding = value.toFixed(3);
      if (reason) return { statement, status: 'open', finding, reason };
      return { statement, status: inside(claim, value) ? 'in the range' : 'outside', finding };
    });
}
