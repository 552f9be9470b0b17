import type { EpisodeSampler, HeldOutOptions } from '../evaluation/heldOut.ts';
import { CHILDREN, evaluateScaffold, writesReflections } from '../scaffolds/evaluateScaffolds.ts';
import { expands, PLAIN_SCAFFOLDS, REFLECTING_SCAFFOLDS, type ScaffoldName } from '../scaffolds/scaffold.ts';
import type { Amount, StatisticsColumn } from './compared.ts';
import type { ComparisonPlan, Measured } from './findings.ts';

// Measurement of policies under scaffolds in a comparison.

/** Setting that requests the measurement of scaffolds: the budget of programs per episode. 0 turns it off. */
export const SCAFFOLD_AMOUNT: Amount = {
  help: 'Also the share solved under each scaffold, with up to this many programs per episode and without a verifier; 0: off.',
  ...{ min: 0, max: 64, default: 0 },
};

/** Returns the scaffolds to compare. They include scaffolds with reflections if the policies write reflections. */
function scaffoldsOf(reflecting: boolean): readonly ScaffoldName[] {
  return reflecting ? [...PLAIN_SCAFFOLDS, ...REFLECTING_SCAFFOLDS] : PLAIN_SCAFFOLDS;
}

/**
 * Measures the solved share and the mean number of programs of each scaffold (`scaffold:lats`, `spent:lats`). Returns
 * an empty object if the measurement was stopped.
 */
export async function scaffoldsMeasured(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
  budget: number,
): Promise<Measured> {
  if (budget === 0) return {};
  const results: Record<string, number> = {};
  for (const name of scaffoldsOf(writesReflections(trainer))) {
    const run = await evaluateScaffold(trainer, name, { ...options, budget, children: CHILDREN, verifier: false });
    if (!run) return {};
    results[`scaffold:${name}`] = run.solved[run.solved.length - 1];
    results[`spent:${name}`] = run.programCount;
  }
  return results;
}

const planned = ({ settings }: ComparisonPlan) => scaffoldsOf(settings.reflection === 'written');

export function scaffoldColumns(plan: ComparisonPlan): readonly StatisticsColumn[] {
  const { budget = 0 } = plan.measuring;
  if (budget === 0) return [];
  return planned(plan).map((name) => {
    const of = (measured: Measured) => measured[`scaffold:${name}`] ?? NaN;
    return {
      name: `scaffold:${name}`,
      title: `${name}, ${budget}`,
      format: 'percent',
      of: (run) => of(run.heldOut),
      base: of,
    };
  });
}

export function scaffoldNote(plan: ComparisonPlan): readonly string[] {
  const { budget = 0 } = plan.measuring;
  if (budget === 0) return [];
  return [
    `${planned(plan).join(', ')}: the share solved under these scaffolds with up to ${budget} programs per episode, without a verifier; ` +
      `${planned(plan).filter(expands).join(', ')} with ${CHILDREN} refinements of a program.`,
  ];
}
