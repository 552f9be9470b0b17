import { scaleLinear } from 'd3-scale';
import type { Claim } from '../../environments/claim.ts';
import type { ExperimentResult, PairedResult } from '../../experiments/claims/claimResult.ts';
import { statusText } from '../../experiments/claims/verdictWords.ts';
import { escaped } from '../compare/curvesSvg.ts';

// One figure an experiment: a row a test, every seed a dot, mean and interval as a bar, the margin as a band.

const ROW = 46;
const TOP = 34;
const LEFT = 16;
const WIDTH = 760;
const PLOT = { from: 330, to: 735 } as const;
const INK = '#7a828a';
/** Legible on light and dark. */
const DOT = '#3b82d6';
/** Letters of a line of a statement. */
const LETTERS = 46;

/** The figure of an experiment's tests; undefined where no test is about differences. */
export function labFigure({ id }: Claim, experiment: ExperimentResult): string | undefined {
  const paired = experiment.outcomes.flatMap((one) => (one.kind === 'paired' ? [one] : []));
  if (paired.length === 0) return undefined;
  const height = TOP + ROW * paired.length + 16;
  const told = paired
    .map((one) => `${one.test.statement}: ${experiment.edition ? 'first edition' : statusText(one)}`)
    .join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img"
  aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="12">
<title id="title">${escaped(`${id}, ${experiment.name}: differences by test`)}</title>
<desc id="description">${escaped(told)}</desc>
<text x="${PLOT.to}" y="18" text-anchor="end" fill="${INK}">difference: dots are seeds, the bar is the 95 % interval, the band the margin</text>
${paired.map((one, index) => row(one, TOP + index * ROW)).join('\n')}
</svg>
`;
}

function row(outcome: PairedResult, top: number): string {
  const { test, differences, judgement } = outcome;
  const values = differences.map(({ difference }) => difference);
  const ends = [judgement.low, judgement.high].filter((value) => value !== null && Number.isFinite(value));
  const all = [...values, ...ends, 0, test.margin, -test.margin];
  const most = Math.max(...all.map(Math.abs)) * 1.08 || 1;
  const x = scaleLinear([-most, most], [PLOT.from, PLOT.to]);
  const at = (value: number) => x(value).toFixed(1);
  const middle = top + 16;
  const scale = test.unit === undefined ? 100 : 1;
  const tick = (value: number) => (value * scale).toFixed(scale === 1 ? 1 : 0).replace('-', '−');
  const dots = differences.map(
    ({ difference, seed }) =>
      `<circle cx="${at(difference)}" cy="${middle}" r="3.5" fill="${DOT}" fill-opacity="0.75"><title>seed ${seed}: ${tick(difference)}</title></circle>`,
  );
  const bar =
    ends.length === 2
      ? `<path d="M${at(judgement.low)} ${middle + 9}H${at(judgement.high)}M${at(judgement.mean)} ${middle + 5}v8" stroke="${INK}" stroke-width="2.5" fill="none"/>`
      : '';
  const lines = wrapped(test.statement).map(
    (text, line) => `<text x="${LEFT}" y="${top + 12 + 14 * line}" fill="${INK}">${escaped(text)}</text>`,
  );
  return [
    `<rect x="${at(-test.margin)}" y="${top + 4}" width="${(x(test.margin) - x(-test.margin)).toFixed(1)}" height="26" fill="${INK}" fill-opacity="0.16"/>`,
    `<path d="M${PLOT.from} ${middle + 16}H${PLOT.to}M${at(0)} ${top + 2}V${middle + 16}" stroke="${INK}" stroke-opacity="0.5" fill="none"/>`,
    ...dots,
    bar,
    `<text x="${PLOT.from}" y="${middle + 28}" fill="${INK}" font-size="10">${tick(-most)}</text>`,
    `<text x="${at(0)}" y="${middle + 28}" fill="${INK}" font-size="10" text-anchor="middle">0</text>`,
    `<text x="${PLOT.to}" y="${middle + 28}" fill="${INK}" font-size="10" text-anchor="end">${tick(most)} ${test.unit ?? 'points'}</text>`,
    ...lines,
  ].join('\n');
}

/** A statement in lines; what does not fit into three goes with dots. */
function wrapped(text: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1];
    if (line !== '' && line.length + 1 + word.length > LETTERS) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.length > 3 ? [...lines.slice(0, 2), `${lines[2]} …`] : lines;
}
