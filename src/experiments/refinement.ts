import type { FeedbackControl, PassAt, RefinementRates } from '../environments/repair/evaluation.ts';
import type { Stratum } from './compare/difficulty.ts';
import {
  type EpisodeSampler,
  type EvaluationCounts,
  evaluateRepair,
  type RepairOptions,
  type StratumRates,
  type WrittenTestQuality,
} from './compare/heldOutEvaluation.ts';
import { computeStatistics, type SummaryStatistics } from './statistics.ts';

/** Plan of a repeated evaluation of attempts with feedback. */
export interface RefinementPlan extends Omit<RepairOptions, 'feedback' | 'run'> {
  /** Kinds of feedback to show between attempts. All kinds are evaluated on the same first programs. */
  readonly feedback: readonly FeedbackControl[];
  /** Number of independent repetitions. */
  readonly runs: number;
}

/** Results of one repetition with one kind of feedback. */
export type RefinementRun = EvaluationCounts &
  RefinementRates & {
    readonly passAt: readonly PassAt[];
    readonly strata?: readonly StratumRates[];
    readonly writtenTestQuality?: WrittenTestQuality;
  };

/** Results of all repetitions with one kind of feedback. */
export interface RefinementReport {
  readonly feedback: FeedbackControl;
  /** Pass rates of attempts 1, 2, ... (Iter-1, Iter-2, ...) on the hidden tests. */
  readonly iterations: readonly SummaryStatistics[];
  readonly repairRate: SummaryStatistics;
  /** Share of first programs that pass some of the tests but not all, and share that pass none. */
  readonly partial: SummaryStatistics;
  readonly none: SummaryStatistics;
  readonly passAt: readonly {
    readonly k: number;
    readonly first: SummaryStatistics;
    readonly last: SummaryStatistics;
  }[];
  /** Rates of each stratum that has tasks, if strata were requested. */
  readonly strata?: readonly {
    readonly stratum: Stratum;
    readonly tasks: number;
    readonly iterations: readonly SummaryStatistics[];
    readonly repairRate: SummaryStatistics;
  }[];
  /** Quality of the tests that the policy writes, if it writes tests. */
  readonly writtenTestQuality?: Readonly<Record<keyof WrittenTestQuality, SummaryStatistics>>;
  readonly runs: readonly RefinementRun[];
}

/**
 * Evaluates the policy of a sampler without training. Each run uses separate random draws. Within a run, all kinds of
 * feedback follow the same first programs.
 * @returns [feedback] reports over the complete runs; undefined if the evaluation was stopped before the first run was
 * complete
 */
export async function evaluateRefinement(
  trainer: EpisodeSampler,
  plan: RefinementPlan,
): Promise<readonly RefinementReport[] | undefined> {
  const { feedback, runs, progress, signal, ...options } = plan;
  const complete: RefinementRun[][] = [];
  for (let run = 0; run < runs; run++) {
    const results: RefinementRun[] = [];
    for (const control of feedback) {
      if (signal?.aborted) break;
      const before = run * feedback.length + results.length;
      const rates = await evaluateRepair(trainer, {
        ...options,
        feedback: control,
        run,
        ...(signal ? { signal } : {}),
        progress: (done, all) => progress?.(before * all + done, runs * feedback.length * all),
      });
      if (rates.episodes === rates.tasks * plan.samples) results.push(rates);
    }
    if (results.length < feedback.length) break;
    complete.push(results);
  }
  return complete.length > 0 ? report(feedback, complete) : undefined;
}

function report(feedback: readonly FeedbackControl[], runs: readonly (readonly RefinementRun[])[]) {
  return feedback.map((control, index) =>
    overRuns(
      control,
      runs.map((run) => run[index]),
    ),
  );
}

/** Computes means and sample deviations over runs of the same plan. */
export function overRuns(feedback: FeedbackControl, runs: readonly RefinementRun[]): RefinementReport {
  const summarize = (value: (run: RefinementRun) => number) => computeStatistics(runs.map(value));
  return {
    feedback,
    iterations: runs[0].iterations.map((_, turn) => summarize(({ iterations }) => iterations[turn])),
    repairRate: summarize(({ repairRate }) => repairRate),
    partial: summarize(({ partial }) => partial),
    none: summarize(({ none }) => none),
    passAt: runs[0].passAt.map(({ k }, index) => ({
      k,
      first: summarize(({ passAt }) => passAt[index].first),
      last: summarize(({ passAt }) => passAt[index].last),
    })),
    ...(runs[0].strata ? { strata: strataOver(runs) } : {}),
    ...(runs[0].writtenTestQuality ? { writtenTestQuality: summarizeTests(runs) } : {}),
    runs,
  };
}

function summarizeTests(runs: readonly RefinementRun[]) {
  const over = (name: keyof WrittenTestQuality) =>
    computeStatistics(runs.map(({ writtenTestQuality }) => writtenTestQuality?.[name] ?? Number.NaN));
  return { right: over('right'), caught: over('caught'), wronged: over('wronged') };
}

/** Summarises each stratum over the runs. All runs have the same strata. */
function strataOver(runs: readonly RefinementRun[]): NonNullable<RefinementReport['strata']> {
  return (runs[0].strata ?? []).flatMap(({ stratum, tasks, rates }, index) => {
    const each = runs.flatMap(({ strata }) => strata?.[index].rates ?? []);
    if (!rates) return [];
    return [
      {
        ...{ stratum, tasks },
        iterations: rates.iterations.map((_, turn) =>
          computeStatistics(each.map(({ iterations }) => iterations[turn])),
        ),
        repairRate: computeStatistics(each.map(({ repairRate }) => repairRate)),
      },
    ];
  });
}
