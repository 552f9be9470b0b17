import { alignedTable } from '../framework/text.ts';
import type { ExpertPlan, IterationRow, SolvedRates } from './expertFolder.ts';

/** Formats the imitated programs of each iteration, and the solved rates of the policies before and after it. */
export function expertIterationText(
  { turns, budget }: Pick<ExpertPlan, 'turns' | 'budget'>,
  rows: readonly IterationRow[],
): string {
  const percent = (share: number) => (Number.isFinite(share) ? (100 * share).toFixed(1) : '-');
  const taught = rows.map(({ programs, right, problems, bestRight, examples, loss }, index) => [
    String(index + 1),
    ...[String(programs), percent(right), String(problems), percent(bestRight), String(examples)],
    loss.map((value) => value.toFixed(3)).join(' to '),
  ]);
  const rates = ({ first, last, byTests, byVerifier }: SolvedRates) => [first, last, byTests, byVerifier].map(percent);
  const solved = rows.flatMap(({ before, after }, index) => [
    [index === 0 ? 'the start' : `policy ${index}`, `verifier ${index + 1}`, ...rates(before)],
    [`policy ${index + 1}`, `verifier ${index + 1}`, ...rates(after)],
  ]);
  const head = ['iteration', 'programs', 'right, %', 'problems', 'best right, %', 'examples', 'imitation loss, nats'];
  const best = [`best of ${budget} by tests`, 'and verifier'];
  return `${alignedTable(head, taught)}\n\n${alignedTable(
    ['held-out, % solved', '', 'Iter-1', `Iter-${turns}`, ...best],
    solved,
  )}\n`;
}
