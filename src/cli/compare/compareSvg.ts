import { findRule } from '../../credit/rules.ts';
import { curve } from '../../experiments/compare/comparison.ts';
import type { ComparisonFile } from './compareFile.ts';
import { type Curves, curvesSvg, endings } from './curvesSvg.ts';

/** Colours that stand out on white and on near-black alike; the dashes tell the lines apart without them. */
const STYLES: Readonly<Record<string, { readonly colour: string; readonly dash: string }>> = {
  'mt-grpo': { colour: '#3b82d6', dash: '' },
  'grpo-or': { colour: '#d9661f', dash: '' },
  'grpo-mr': { colour: '#1a9a7f', dash: '6 3' },
};
const OTHER_COLOURS = ['#a05bd1', '#b8860b', '#d1477f'];

const PANELS = [
  { metric: 'toolUse', title: 'Tool use', note: 'share of rollouts with an executed call' },
  { metric: 'answer', title: 'Right answers', note: 'share of rollouts' },
] as const;

/** The curves of a comparison as an SVG file: tool use and right answers. */
export function comparisonSvg(file: ComparisonFile): string {
  const rules = file.rules.filter((rule) => file.arms.some((arm) => arm.rule === rule));
  const curves = rules.map((rule, index): Curves => {
    const arms = file.arms.filter((arm) => arm.rule === rule);
    const panels = PANELS.map(({ metric }) => arms.map((arm) => curve(arm, metric)));
    return { label: title(rule), ...styleOf(rule, index), panels };
  });
  const description =
    `Tool use and right answers over ${file.plan.steps} updates for ${rules.map(title).join(', ')}; ` +
    'thin lines are seeds, bold lines their means. ' +
    curves.map((line) => `${line.label} ends at ${endings({ panels: PANELS }, line)}.`).join(' ');
  return curvesSvg({ title: 'Credit rules compared', description, panels: PANELS, curves, steps: file.plan.steps });
}

function styleOf(rule: string, index: number) {
  return STYLES[rule] ?? { colour: OTHER_COLOURS[index % OTHER_COLOURS.length], dash: '' };
}

function title(rule: string): string {
  return findRule(rule).title;
}
