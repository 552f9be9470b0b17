import type { LineKey } from '../../environments/chart.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { EVALUATION_NAMES } from '../../training/data/sizes.ts';
import { openingRun } from '../../training/data/worlds.ts';
import type { RunModel } from '../session/runModel.ts';

/** An area behind a line: values [share] after numbers of updates. */
export interface StepBand {
  readonly line: LineKey;
  readonly steps: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Controls that do not change the course of a run, and the rule. */
const FREE = ['rule', ...EVALUATION_NAMES];

/**
 * Bands of recorded runs for the main chart of a run: under the first rule of the toggle, and from the first change to the
 * second rule on. No bands if settings, controls or another rule set the run apart from the recorded ones.
 */
export function runBands({
  configuration,
  controls,
  events,
}: Pick<RunModel, 'configuration' | 'controls' | 'events'>): StepBand[] {
  const { bands, pinned } = ENVIRONMENTS[configuration.environment];
  const standard = openingRun(configuration.environment);
  const isStandard =
    Object.entries(standard.settings).every(([name, value]) => configuration.settings[name] === value) &&
    Object.entries(standard.controls).every(([name, value]) => FREE.includes(name) || controls[name] === value);
  const [first, second] = pinned;
  if (!bands || !isStandard || configuration.controls.rule !== first) return [];
  const share = (percent: number) => percent / 100;
  const bandFrom = ({ low, high }: typeof bands.first, from: number): StepBand => ({
    line: bands.line,
    steps: low.map((_, index) => from + 1 + index * bands.every),
    low: low.map(share),
    high: high.map(share),
  });
  const changes = events.filter(({ changes: { rule } }) => rule !== undefined);
  if (changes.length === 0) return [bandFrom(bands.first, 0)];
  const [change] = changes;
  if (changes.length > 1 || !change || change.changes.rule !== second) return [];
  const before = bandFrom(bands.first, 0);
  const count = before.steps.filter((step) => step <= change.step).length;
  const cut = (values: readonly number[]) => values.slice(0, count);
  return [
    { line: bands.line, steps: cut(before.steps), low: cut(before.low), high: cut(before.high) },
    bandFrom(bands.second, change.step),
  ];
}
