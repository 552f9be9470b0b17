import type { Claim } from '../../environments/claim.ts';
import type { ClaimResult, ExperimentResult } from '../../experiments/claims/claimResult.ts';
import { effectText, primaryOutcome, statusText } from '../../experiments/claims/conclusionText.ts';
import {
  axisSvg,
  inOrder,
  PLOT_HEIGHT,
  type PlotRow,
  plotExtent,
  plotRow,
  plotSvg,
} from '../../experiments/claims/plot.ts';
import { stateText } from '../../experiments/claims/reader.ts';
import { escaped } from '../compare/curvesSvg.ts';

// Figures of the documents: one row per test, with its texts on the left and the plot of the page on the right.

const ROW = 58;
const TOP = 8;
const WIDTH = 760;
const PLOT = { x: 340, width: 412 } as const;
const TEXT_COLOUR = '#7a828a';
/** Maximum length of a line of text [characters]. */
const LETTERS = 50;

interface FigureRow {
  readonly label: string;
  readonly note: string;
  readonly row: PlotRow;
}

/** Returns the figure of an experiment with one row per test, or undefined if no test compares paired differences. */
export function labFigure({ id }: Claim, { name, outcomes }: ExperimentResult): string | undefined {
  const rows = outcomes.flatMap((outcome) =>
    outcome.kind === 'paired'
      ? [
          {
            label: outcome.test.statement,
            note: `${effectText(outcome)}; ${statusText(outcome)}`,
            row: plotRow(outcome),
          },
        ]
      : [],
  );
  return figure(`${id}, ${name}: differences by test`, rows);
}

/**
 * Returns the figure of a paper: one row per primary test of a claim, the largest effect first. Returns undefined if no
 * claim has a paired primary test.
 */
export function paperFigure(name: string, claims: readonly (readonly [Claim, ClaimResult])[]): string | undefined {
  const rows = claims.flatMap(([{ id }, result]) => {
    const primary = primaryOutcome(result);
    if (primary?.kind !== 'paired') return [];
    const label = `${id.toUpperCase()} ${primary.test.statement}`;
    return [{ label, note: `${effectText(primary)}; ${stateText(result)}`, row: plotRow(primary) }];
  });
  return figure(`${name}: primary tests`, inOrder(rows));
}

function figure(title: string, rows: readonly FigureRow[]): string | undefined {
  if (rows.length === 0) return undefined;
  const extent = plotExtent(rows.map(({ row }) => row));
  const height = TOP + ROW * rows.length + 18;
  const described = rows.map(({ label, note }) => `${label}: ${note}`).join('. ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img"
  aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="12">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(described)}</desc>
${rows.map((row, index) => drawn(row, TOP + index * ROW, extent)).join('\n')}
<svg x="${PLOT.x}" y="${TOP + ROW * rows.length}" width="${PLOT.width}" height="16">
${axisSvg(extent)}
</svg>
</svg>
`;
}

function drawn({ label, note, row }: FigureRow, top: number, extent: number): string {
  const lines = [...wrapped(label, 2), ...wrapped(note, 1)].map(
    (text, line) => `<text x="4" y="${top + 12 + 15 * line}" fill="${TEXT_COLOUR}">${escaped(text)}</text>`,
  );
  return `${lines.join('\n')}
<svg x="${PLOT.x}" y="${top}" width="${PLOT.width}" height="${PLOT_HEIGHT}">
${plotSvg(row, extent)}
</svg>`;
}

/** Breaks a text into at most `limit` lines. The last line ends in an ellipsis if the text is cut. */
function wrapped(text: string, limit: number): string[] {
  const lines: string[] = [''];
  for (const term of text.split(' ')) {
    const line = lines[lines.length - 1];
    if (line !== '' && line.length + 1 + term.length > LETTERS) lines.push(term);
    else lines[lines.length - 1] = line === '' ? term : `${line} ${term}`;
  }
  return lines.length > limit ? [...lines.slice(0, limit - 1), `${lines[limit - 1]} …`] : lines;
}
