import { scaleLinear } from 'd3-scale';
import type { CalibrationBin } from '../../training/rewardModel/pairs.ts';
import { escaped } from '../compare/curvesSvg.ts';

const SIZE = 260;
const LEFT = 56;
const TOP = 48;
const TEXT_COLOUR = '#7a828a';
const COLOUR = '#3b82d6';
/** Radius of the bin with the most pairs [px]. The areas of the discs are proportional to the numbers of pairs. */
const LARGEST = 16;
const TICKS = [0.5, 0.6, 0.7, 0.8, 0.9, 1];

/**
 * Draws the accuracy of a model on pairs over its confidence. Each bin is a disc whose area is proportional to the
 * number of pairs. A line shows a model whose confidence equals its accuracy.
 * @param bins bins of probabilities from 0.5 to 1
 */
export function calibrationSvg(title: string, bins: readonly CalibrationBin[]): string {
  const known = bins.filter(({ pairs }) => pairs > 0);
  const maximum = Math.max(...known.map(({ pairs }) => pairs));
  const least = Math.min(0.5, ...known.map(({ right }) => Math.floor(10 * right) / 10));
  const x = scaleLinear([0.5, 1], [LEFT, LEFT + SIZE]);
  const y = scaleLinear([least, 1], [TOP + SIZE, TOP]);
  const at = (value: number) => String(Math.round(10 * value) / 10);
  const descriptions = known.map(
    (bin) => `predicts ${two(bin.predicted)}, right in ${two(bin.right)} of ${bin.pairs} pairs`,
  );
  // The headings are wider than the plot.
  const [width, height] = [LEFT + SIZE + 84, TOP + SIZE + 52];
  const rows = y
    .ticks(Math.round(10 * (1 - least)))
    .map(
      (value) =>
        `<line x1="${LEFT}" x2="${LEFT + SIZE}" y1="${at(y(value))}" y2="${at(y(value))}" stroke="${TEXT_COLOUR}" opacity="0.22"/>` +
        `<text x="${LEFT - 8}" y="${at(y(value) + 4)}" text-anchor="end" fill="${TEXT_COLOUR}">${value.toFixed(1)}</text>`,
    );
  const columns = TICKS.map(
    (value) =>
      `<text x="${at(x(value))}" y="${TOP + SIZE + 18}" text-anchor="middle" fill="${TEXT_COLOUR}">${value.toFixed(1)}</text>`,
  );
  const discs = known.map(({ predicted, right, pairs }, index) => {
    const radius = Math.max(2, LARGEST * Math.sqrt(pairs / maximum));
    return (
      `<circle cx="${at(x(predicted))}" cy="${at(y(right))}" r="${at(radius)}" fill="${COLOUR}" fill-opacity="0.75">` +
      `<title>${descriptions[index]}</title></circle>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"
  aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="12">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(descriptions.join('; '))}</desc>
<text x="${LEFT}" y="20" font-size="14" font-weight="600" fill="${TEXT_COLOUR}">${escaped(title)}</text>
<text x="${LEFT}" y="36" fill="${TEXT_COLOUR}">share of pairs in the right order; area: number of pairs</text>
${[...rows, ...columns].join('\n')}
<line x1="${LEFT}" x2="${LEFT + SIZE}" y1="${at(y(0.5))}" y2="${at(y(1))}" stroke="${TEXT_COLOUR}" stroke-dasharray="4 3"/>
${discs.join('\n')}
<text x="${LEFT + SIZE / 2}" y="${TOP + SIZE + 40}" text-anchor="middle" fill="${TEXT_COLOUR}">predicted probability of the order</text>
</svg>
`;
}

function two(value: number): string {
  return value.toFixed(2).replace(/^0/, '');
}
