import type { Score, ScoredTask } from '../../experiments/challenge/judgeRule.ts';
import { CLEAR } from '../../experiments/truth/trueAdvantages.ts';
import type { Interval } from '../../training/data/truthReport.ts';
import { alignedTable, two } from '../framework/text.ts';

const range = ({ value, low, high }: Interval) => `${two(value)} [${two(low)}, ${two(high)}]`;
const share = ({ value, low, high }: Interval) => {
  const percent = (fraction: number) => (Number.isFinite(fraction) ? (100 * fraction).toFixed(0) : '-');
  return `${percent(value)} % [${percent(low)}, ${percent(high)}]`;
};

/** Formats one table per task, and notes on how to read it. */
export function challengeText(results: readonly ScoredTask[]): string {
  const tables = results.map(({ task, groups, turns, rules, truth }) => {
    const rows = rules.flatMap((entry) => (entry.rejection === undefined ? [[entry.rule, ...cells(entry.score)]] : []));
    const rejected = rules.flatMap((entry) =>
      entry.rejection === undefined ? [] : [`${entry.rule} cannot read these groups: ${entry.rejection}\n`],
    );
    const head = `${task}: ${groups} groups, ${turns} turns, ${truth.clear} of them clear`;
    const titles = ['rule', 'correlation', 'wrong sign', 'no advantage', 'cosine of a group'];
    return `${head}\n${alignedTable(titles, [...rows, ['truth', ...cells(truth)]])}\n${rejected.join('')}`;
  });
  return `${tables.join('\n')}\n${[
    `Intervals: 95 %, bootstrap over groups. Clear turns: the true advantage is more than ${CLEAR} standard errors from 0; wrong sign`,
    'and no advantage are shares of the clear turns. truth: the measured advantages.',
  ].join(' ')}\n`;
}

function cells(score: Score): readonly string[] {
  return [range(score.correlation), share(score.wrong), share(score.silent), range(score.cosine)];
}
