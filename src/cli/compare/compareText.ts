import { type Verdict, verdicts } from '../../experiments/compare/claims.ts';
import { COLLAPSED, comparisonTable } from '../../experiments/compare/comparisonTable.ts';
import { LAST, RADIUS } from '../../experiments/statistics.ts';
import { alignedTable, markdownTable, share } from '../framework/text.ts';
import type { ComparisonFile } from './compareFile.ts';

/** The table, how to read it, and the verdicts, for the terminal. */
export function comparisonText(file: ComparisonFile): string {
  const { head, rows } = cells(file);
  const found = verdicts(file).map(({ status, statement, found }) => [status, statement, found]);
  const list = found.length > 0 ? `\n\n${alignedTable(['verdict', 'claim', 'found'], found)}` : '';
  return `${alignedTable(head, rows)}\n\n${notes(file)}${list}\n`;
}

/** The same as Markdown, for a README. */
export function comparisonMarkdown(file: ComparisonFile): string {
  const { head, rows } = cells(file);
  const list = verdicts(file).map(
    ({ status, statement, found }: Verdict) => `- **${status}**: ${statement} (${found})`,
  );
  return `${markdownTable(head, rows)}\n\n${notes(file)}\n\n${list.join('\n')}\n`;
}

function cells(file: ComparisonFile): { head: string[]; rows: string[][] } {
  const { steps, rows } = comparisonTable(file, file.rules);
  const columns = [...steps.map(String), 'end'].join('/');
  return {
    head: ['rule', 'seeds', `tool use ${columns}`, `answer ${columns}`, 'held out', 'collapsed'],
    rows: rows.map((row) => [
      row.rule,
      String(row.seeds),
      row.toolUse.map(share).join('/'),
      row.answer.map(share).join('/'),
      share(row.heldOut),
      `${row.collapsed} of ${row.seeds}`,
    ]),
  };
}

function notes(file: ComparisonFile): string {
  const { plan, device } = file;
  const reasons = new Set(verdicts(file).flatMap(({ reason }) => reason ?? []));
  const start = plan.freshWarmStart ? 'each seed has a warm start of its own' : 'all start from one warm start';
  return [
    `Shares of rollouts, means over the seeds; ${plan.steps} updates an arm, ${start}, and the arms of a seed differ in ` +
      'the credit rule alone.',
    `A value at a step is the mean over the ${RADIUS} updates on either side of it too, at step 0 of the first batch ` +
      `alone, at the end of the last ${LAST} updates.`,
    `Held out: right answers to ${plan.heldOutEpisodes} questions never asked in training, after the last update. ` +
      `Collapsed: tool use below ${COLLAPSED} at the end.`,
    ...(device ? [`Device: ${device}.`] : []),
    ...[...reasons].map((reason) => `Undecided: ${reason}.`),
  ].join('\n');
}
