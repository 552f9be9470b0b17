/** Line of a chart. A null value leaves a gap. */
interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

const WIDTH = 640;
const HEIGHT = 220;
const MARGIN = { left: 48, right: 12, top: 28, bottom: 28 };
/** Line colours with a contrast above 3 on white and on black. The second line is also dashed. */
const STROKES = ['stroke="#2f7ed8"', 'stroke="#c76a15" stroke-dasharray="6 4"'];

/** Draws lines over steps as an SVG figure with a title, axes and a legend. Returns '' if no line has values. */
export function lineChart(title: string, steps: readonly number[], lines: readonly Line[]): string {
  const numbers = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  if (numbers.length === 0) return '';
  const [low, high] = [Math.min(0, ...numbers), Math.max(...numbers)];
  const range = high - low || 1;
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const x = (step: number) =>
    MARGIN.left + ((step - first) / (last - first || 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value: number) => HEIGHT - MARGIN.bottom - ((value - low) / range) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const paths = lines.map(({ values }, at) => {
    let pen = 'M';
    const points = values.map((value, index) => {
      if (value === null) {
        pen = 'M';
        return '';
      }
      const point = `${pen}${x(steps[index]).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = 'L';
      return point;
    });
    return `<path d="${points.join('')}" fill="none" stroke-width="2" ${STROKES[at % STROKES.length]}/>`;
  });
  const legend = lines.map(
    ({ name }, at) =>
      `<line x1="${MARGIN.left + 180 * at}" x2="${MARGIN.left + 30 + 180 * at}" y1="12" y2="12" stroke-width="2" ${STROKES[at % STROKES.length]}/>` +
      `<text x="${MARGIN.left + 36 + 180 * at}" y="16">${name}</text>`,
  );
  const label = (value: number) => `<text x="4" y="${(y(value) + 4).toFixed(1)}">${value.toFixed(2)}</text>`;
  return (
    `<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" ` +
    `font-size="12" fill="currentColor"><line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(0).toFixed(1)}" ` +
    `y2="${y(0).toFixed(1)}" stroke="currentColor" opacity=".4"/>${label(low)}${high === low ? '' : label(high)}` +
    `<text x="${MARGIN.left}" y="${HEIGHT - 8}">step ${first}</text>` +
    `<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 8}" text-anchor="end">step ${last}</text>` +
    `${legend.join('')}${paths.join('')}</svg></figure>`
  );
}
