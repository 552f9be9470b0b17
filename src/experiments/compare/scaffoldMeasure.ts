import { CHILDREN, evaluateScaffold } from '../scaffolds/evaluateScaffolds.ts';
import { SCAFFOLDS } from '../scaffolds/scaffold.ts';
import type { Amount, SpreadColumn } from './compared.ts';
import type { ComparisonPlan, Measured } from './findings.ts';
import type { HeldOutOptions, Player } from './heldOutEvaluation.ts';

// What a comparison measures of policies under scaffolds.

/** Asks for scaffolds; without it nothing of them is measured. */
export const SCAFFOLD_AMOUNT: Amount = {
  help: 'Also the share solved under each scaffold, with so many programs an episode and without a verifier; 0: do not.',
  ...{ min: 0, max: 64, default: 0 },
};

/** Solved under each scaffold, and the programs spent: `scaffold:lats`, `spent:lats`. Nothing where it was stopped. */
export async function scaffoldsMeasured(player: Player, options: HeldOutOptions, budget: number): Promise<Measured> {
  if (budget === 0) return {};
  const found: Record<string, number> = {};
  for (const name of SCAFFOLDS) {
    const run = await evaluateScaffold(player, name, { ...options, budget, children: CHILDREN, verifier: false });
    if (!run) return {};
    found[`scaffold:${name}`] = run.solved[run.solved.length - 1];
    found[`spent:${name}`] = run.spent;
  }
  return found;
}

export function scaffoldColumns({ measuring: { budget = 0 } }: ComparisonPlan): readonly SpreadColumn[] {
  if (budget === 0) return [];
  return SCAFFOLDS.map((name) => {
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

export function scaffoldNote({ measuring: { budget = 0 } }: ComparisonPlan): readonly string[] {
  if (budget === 0) return [];
  return [
    `${SCAFFOLDS.join(', ')}: the share solved under these scaffolds with up to ${budget} programs an episode, without a verifier; ` +
      `lats and dot with ${CHILDREN} refinements of a program.`,
  ];
}
