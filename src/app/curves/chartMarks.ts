import type { EnvironmentName } from '../../training/data/configuration.ts';
import { controlLabel, type Happening, valueText } from '../runs/appliedEvents.ts';
import { strings } from '../strings/strings.ts';

/** A vertical line in a chart. */
export interface Mark {
  readonly step: number;
  readonly label: string;
  /** For narrow charts. */
  readonly short: string;
  /** The whole story, for a tooltip and the table. */
  readonly text: string;
  readonly rule: boolean;
  /** Still to come, by the schedule. */
  readonly planned: boolean;
}

/**
 * Returns the marks of changes that took effect in a chart: the rule first of all, other controls under their labels.
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

/** Maximum distance of a planned change after the last step at which the change is drawn ahead, in steps. */
const AHEAD = 120;

/** The step that the axis has to reach: the last one, or the next planned change where it is not far. */
export function reachOf(lastStep: number, marks: readonly Mark[]): number {
  const next = Math.min(...marks.filter(({ planned }) => planned).map(({ step }) => step));
  return next <= lastStep + AHEAD ? Math.max(lastStep, next) : lastStep;
}

/** A mark that needs a label: the position of its line, the width of the label, and the priority of the label. */
export interface LabelRequest {
  readonly x: number;
  readonly width: number;
  readonly first: boolean;
}

/**
 * Row of a label, and the side of its line on which the label is. The row is 0 on top, and -1 if there is no room for
 * the label. `turned` is true if the label is on the left of its line.
 */
export interface LabelPosition {
  readonly row: number;
  readonly isFlipped: boolean;
}

/** Pixels between a line and its label, and between two labels. */
export const LABEL_GAP = 4;
const APART = 6;
/** Pixels on either side of a line that no text may come into. */
const CLEAR = 2;

const NOWHERE: LabelPosition = { row: -1, isFlipped: false };

interface Label extends LabelPosition {
  readonly from: number;
  readonly to: number;
  readonly x: number;
}

/**
 * Places labels next to their lines, inside the plot, so that no label touches another or the line of another. Lines
 * begin at the row of their label and go down; lines without a label begin below all rows. Important labels are placed
 * first. Of two equally important labels, the one further right is placed first, because it is newer.
 * @param requested in any order; a mark without a width needs no label
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
