import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { findRule } from '../credit/rules.ts';
import { type ArmResult, curve } from '../experiments/comparison.ts';
import { meanSeries } from '../experiments/statistics.ts';
import type { ComparisonFile } from './compareFile.ts';

const WIDTH = 860;
const HEIGHT = 330;
const PANEL = { width: 300, height: 220, top: 64, left: [48, 468] } as const;
/** Space that the label of a line needs from the next one. */
const LABEL_GAP = 15;

/** Colours that stand out on white and on near-black alike; the dashes tell the lines apart without them. */
const STYLES: Readonly<Record<string, { readonly colour: string; readonly dash: string }>> = {
  'mt-grpo': { colour: '#3b82d6', dash: '' },
  'grpo-or': { colour: '#d9661f', dash: '' },
  'grpo-mr': { colour: '#1a9a7f', dash: '6 3' },
};
const OTHER_COLOURS = ['#a05bd1', '#b8860b', '#d1477f'];
const INK = '#7a828a';

const PANELS = [
  { metric: 'toolUse', title: 'Tool use', note: 'share of rollouts with an executed call' },
  { metric: 'answer', title: 'Right answers', note: 'share of rollouts' },
] as const;

/** The curves of a comparison as an SVG file: two panels, every seed as a thin line, the mean bold, labels at the lines. */
export function comparisonSvg(file: ComparisonFile): string {
  const rules = file.rules.filter((rule) => file.arms.some((arm) => arm.rule === rule));
  const parts = PANELS.map((panel, index) => drawPanel(file, rules, panel, PANEL.left[index]));
  const description =
    `Tool use and right answers over ${file.plan.steps} updates for ${rules.map(title).join(', ')}; ` +
    'thin lines are seeds, bold lines their means. ' +
    rules.map((rule) => `${title(rule)} ends at ${endings(file, rule)}.`).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img"
  aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="12">
<title id="title">Credit rules compared</title>
<desc id="description">${escaped(description)}</desc>
${parts.join('\n')}
</svg>
`;
}

function endings(file: ComparisonFile, rule: string): string {
  return PANELS.map(({ metric, title: name }) => {
    const mean = meanSeries(armsOf(file, rule).map((arm) => curve(arm, metric)));
    return `${name.toLowerCase()} ${(mean.at(-1) ?? NaN).toFixed(2)}`;
  }).join(', ');
}

function armsOf(file: ComparisonFile, rule: string): readonly ArmResult[] {
  return file.arms.filter((arm) => arm.rule === rule);
}

function drawPanel(
  file: ComparisonFile,
  rules: readonly string[],
  panel: (typeof PANELS)[number],
  left: number,
): string {
  const last = Math.max(1, file.plan.steps - 1);
  const x = scaleLinear([0, last], [left, left + PANEL.width]);
  const y = scaleLinear([0, 1], [PANEL.top + PANEL.height, PANEL.top]);
  const path = line<number>()
    .defined(Number.isFinite)
    .x((_, step) => rounded(x(step)))
    .y((value) => rounded(y(value)));
  const lines = rules.map((rule, index) => {
    const { colour, dash } = styleOf(rule, index);
    const curves = armsOf(file, rule).map((arm) => curve(arm, panel.metric));
    const seeds = curves.map((values) => `<path d="${path(values) ?? ''}" stroke-width="0.8" opacity="0.35"/>`);
    const dashes = dash ? ` stroke-dasharray="${dash}"` : '';
    const mean = `<path d="${path(meanSeries(curves)) ?? ''}" stroke-width="2.4"${dashes}/>`;
    return `<g fill="none" stroke="${colour}" stroke-linejoin="round">${seeds.join('')}${mean}</g>`;
  });
  const ends = rules.map((rule) =>
    y(meanSeries(armsOf(file, rule).map((arm) => curve(arm, panel.metric))).at(-1) ?? 0),
  );
  const labelX = left + PANEL.width + 8;
  const labels = apart(ends, LABEL_GAP, [PANEL.top, PANEL.top + PANEL.height]).map((at, index) => {
    const { colour } = styleOf(rules[index], index);
    return `<text x="${labelX}" y="${rounded(at + 4)}" fill="${colour}" font-weight="600">${escaped(title(rules[index]))}</text>`;
  });
  const heading =
    `<text x="${left}" y="24" font-size="15" font-weight="600" fill="${INK}">${panel.title}</text>` +
    `<text x="${left}" y="42" fill="${INK}">${panel.note}</text>`;
  return [heading, axes(x, y, left), ...lines, ...labels].join('\n');
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

function axes(x: Scale, y: Scale, left: number): string {
  const bottom = PANEL.top + PANEL.height;
  const rows = y.ticks(5).map((value) => {
    const at = rounded(y(value));
    const rule = `<line x1="${left}" x2="${left + PANEL.width}" y1="${at}" y2="${at}" stroke="${INK}" opacity="${value === 0 ? 0.8 : 0.22}"/>`;
    return `${rule}<text x="${left - 8}" y="${rounded(at + 4)}" text-anchor="end" fill="${INK}">${value.toFixed(1)}</text>`;
  });
  const whole = x.ticks(6).filter(Number.isInteger);
  const columns = whole.map(
    (step) => `<text x="${rounded(x(step))}" y="${bottom + 18}" text-anchor="middle" fill="${INK}">${step}</text>`,
  );
  const name = `<text x="${left + PANEL.width / 2}" y="${bottom + 36}" text-anchor="middle" fill="${INK}">update</text>`;
  return [...rows, ...columns, name].join('\n');
}

/** Moves positions apart until no two are closer than `gap`, as little as that takes from top to bottom. */
export function apart(wanted: readonly number[], gap: number, [top, bottom]: readonly [number, number]): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  let from = top;
  for (const index of order) {
    placed[index] = Math.max(from, wanted[index]);
    from = placed[index] + gap;
  }
  let until = bottom;
  for (const index of order.reverse()) {
    placed[index] = Math.min(until, placed[index]);
    until = placed[index] - gap;
  }
  return placed;
}

function styleOf(rule: string, index: number) {
  return STYLES[rule] ?? { colour: OTHER_COLOURS[index % OTHER_COLOURS.length], dash: '' };
}

function title(rule: string): string {
  return findRule(rule).title;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
