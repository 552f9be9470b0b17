import type { LineKey } from '../../environments/chart.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { EVALUATION_NAMES } from '../../training/data/controls.ts';
import { openingRun } from '../../training/data/worlds.ts';
import type { RunModel } from '../session/runModel.ts';

/** Area of recorded runs behind a line: lowest and highest values (0 to 1) after `steps` [updates]. */
export interface StepBand {
  readonly line: LineKey;
  readonly steps: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Controls that may differ from the recorded runs: the rule, and controls that do not affect training. */
const FREE = ['rule', ...EVALUATION_NAMES];

/**
 * Returns the bands of recorded runs for the main chart: one for the first pinned rule, and one that begins at the
 * change to the second pinned rule. Returns no bands if the run has other settings, controls or rules than the recorded
 * runs.
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
