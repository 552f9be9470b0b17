import type { LineKey } from '../../environments/chart.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { EVALUATION_NAMES } from '../../training/data/controls.ts';
import { openingRun } from '../../training/data/worlds.ts';
import { controlLabel, type Happening, valueText } from '../session/runEvents.ts';
import type { RunModel } from '../session/runModel.ts';
import { strings } from '../strings/strings.ts';

/** Vertical line in a chart that marks a change of controls. */
export interface Mark {
  readonly step: number;
  readonly label: string;
  /** Label in small charts. Empty unless the rule changes. */
  readonly short: string;
  /** Full description of the event, for the tooltip and the table. */
  readonly text: string;
  readonly rule: boolean;
  /** True for a scheduled change that has not taken effect. */
  readonly planned: boolean;
}

/**
 * Returns the marks of the changes in a chart: changes that took effect, then planned changes. A mark of a rule has the
 * rule's name, and other marks have the label of the control.
 */
export function marksOf(
  environment: EnvironmentName,
  events: readonly Happening[],
  planned: readonly Happening[] = [],
): Mark[] {
  return [
    ...events.flatMap((happening) => marksAt(environment, happening, false)),
    ...planned.flatMap((happening) => marksAt(environment, happening, true)),
  ];
}

function marksAt(environment: EnvironmentName, { step, changes, text }: Happening, planned: boolean): Mark[] {
  if (changes.length === 0) return [{ step, label: '', short: '', text, rule: false, planned }];
  const { ruleMark, ruleMarkShort, valueMark, plannedMark, plannedText } = strings.charts;
  return changes.map(({ name, to }) => {
    const rule = name === 'rule';
    const value = valueText(environment, name, to);
    const label = rule ? ruleMark(value) : valueMark(controlLabel(environment, name), value);
    const short = rule ? ruleMarkShort(value) : '';
    return {
      ...{ step, rule, planned, label: planned ? plannedMark(label) : label, short },
      text: planned ? plannedText(step, text) : text,
    };
  });
}

/** Maximum number of steps between the last step and a planned change that extends the axis. */
const AHEAD = 120;

/** Returns the step that the axis must reach: the last step, or the next planned change if it is at most AHEAD away. */
export function reachOf(lastStep: number, marks: readonly Mark[]): number {
  const next = Math.min(...marks.filter(({ planned }) => planned).map(({ step }) => step));
  return next <= lastStep + AHEAD ? Math.max(lastStep, next) : lastStep;
}

/** Requested label: the position of its line [px], the width of its text [px], and its priority (`first`). */
interface LabelRequest {
  readonly x: number;
  readonly width: number;
  readonly first: boolean;
}

/**
 * Position of a label. Row 0 is the top row, and -1 means that there is no room for the label. `isFlipped` is true if
 * the label is on the left of its line.
 */
interface LabelPosition {
  readonly row: number;
  readonly isFlipped: boolean;
}

/** Gap between a line and its label, and between two labels [px]. */
export const LABEL_GAP = 4;
const APART = 6;
/** Margin on both sides of a line without text [px]. */
const CLEAR = 2;

const NOWHERE: LabelPosition = { row: -1, isFlipped: false };

interface Label extends LabelPosition {
  readonly from: number;
  readonly to: number;
  readonly x: number;
}

/**
 * Places labels next to their lines, inside the plot. No label touches another label or the line of another label. A
 * line begins at the row of its label; a line without a label begins below all rows. Labels with priority are placed
 * first. Among equal priorities, the label further right is placed first, because it is newer.
 * @param requested requested labels in any order; a width of 0 means no label
 * @param left left edge of the plot [px]
 * @param right right edge of the plot [px]
 */
export function layoutLabels(
  requested: readonly LabelRequest[],
  rows: number,
  left: number,
  right: number,
): LabelPosition[] {
  const labels: Label[] = [];
  const positions: LabelPosition[] = requested.map(() => NOWHERE);
  const order = requested.flatMap((mark, index) => (mark.width > 0 ? [{ ...mark, index }] : []));
  order.sort((a, b) => Number(b.first) - Number(a.first) || b.x - a.x || a.index - b.index);
  for (const { x, width, index } of order) {
    const candidates = [false, true].flatMap((isFlipped) =>
      Array.from({ length: rows }, (_, row): Label => {
        const from = isFlipped ? x - LABEL_GAP - width : x + LABEL_GAP;
        return { row, isFlipped, x, from, to: from + width };
      }),
    );
    const fits = candidates.find(
      (label) => label.from >= left && label.to <= right && labels.every((existing) => apart(label, existing)),
    );
    if (!fits) continue;
    labels.push(fits);
    positions[index] = { row: fits.row, isFlipped: fits.isFlipped };
  }
  return positions;
}

function apart(a: Label, b: Label): boolean {
  if (a.row === b.row) return a.from >= b.to + APART || b.from >= a.to + APART;
  const [upper, lower] = a.row < b.row ? [a, b] : [b, a];
  return upper.x <= lower.from - CLEAR || upper.x >= lower.to + CLEAR;
}

/** Area of recorded runs behind a line: lowest and highest values (0 to 1) after `steps` [updates]. */
export interface StepBand {
  readonly line: LineKey;
  readonly steps: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Controls that may differ from the recorded runs: the rule, and controls that do not affect training. */
const FREE = ['rule', ...EVALUATION_NAMES];

type RunState = Pick<RunModel, 'configuration' | 'controls' | 'events'>;

/**
 * Compares a run with the recorded runs: their settings, their controls, the first pinned rule, and then at most one
 * change to the second pinned rule.
 * @returns step of the change; null before a change; undefined if the run differs from the recorded runs
 */
export function recordedChange({ configuration, controls, events }: RunState): number | null | undefined {
  const { bands, pinned } = ENVIRONMENTS[configuration.environment];
  const standard = openingRun(configuration.environment);
  const isStandard =
    Object.entries(standard.settings).every(([name, value]) => configuration.settings[name] === value) &&
    Object.entries(standard.controls).every(([name, value]) => FREE.includes(name) || controls[name] === value);
  const [first, second] = pinned;
  if (!bands || !isStandard || configuration.controls.rule !== first) return undefined;
  const [change, ...further] = events.filter(({ changes: { rule } }) => rule !== undefined);
  if (!change) return null;
  return further.length === 0 && change.changes.rule === second ? change.step : undefined;
}

/**
 * Returns the bands of recorded runs for the main chart: one for the first pinned rule, and one that begins at the
 * change to the second pinned rule. Returns no bands for a run that differs from the recorded runs.
 */
export function runBands(run: RunState): StepBand[] {
  const { bands } = ENVIRONMENTS[run.configuration.environment];
  const change = recordedChange(run);
  if (!bands || change === undefined) return [];
  const share = (percent: number) => percent / 100;
  const bandFrom = ({ low, high }: typeof bands.first, from: number): StepBand => ({
    line: bands.line,
    steps: low.map((_, index) => from + 1 + index * bands.every),
    low: low.map(share),
    high: high.map(share),
  });
  const before = bandFrom(bands.first, 0);
  if (change === null) return [before];
  const count = before.steps.filter((step) => step <= change).length;
  const cut = (values: readonly number[]) => values.slice(0, count);
  return [
    { line: bands.line, steps: cut(before.steps), low: cut(before.low), high: cut(before.high) },
    bandFrom(bands.second, change),
  ];
}
