import type { RunConfiguration } from '../../training/data/configuration.ts';
import { SIZES } from '../../training/data/sizes.ts';
import type { LessonRun } from '../lesson.ts';
import { lessonRun } from '../lessonRun.ts';
import type { Curves } from './courseResult.ts';

/**
 * How far the curves of one seed may be apart on two devices: the mean of |difference| over the updates, shares. Devices round
 * otherwise, and training makes the difference grow: .011 at most as far as it was measured, and .023 at least for another seed
 * (docs/learn/lessons.md).
 */
export const TOLERANCE = 0.015;

/** Where two curves differ first, and how far they are apart. */
export interface CurveDifference {
  readonly line: string;
  /** Update. */
  readonly step: number;
  readonly own: number | null;
  readonly again: number | null;
  /**
   * The mean of |difference| over the updates where both were measured, of the line that differs most. A line that counts
   * something is taken as a share of its largest value.
   */
  readonly apart: number;
}

/**
 * What differs between the curves of a file and those of the same run trained again; undefined where they are the same, bit for
 * bit. What only one of them measured is a difference on no line that both have.
 * @param lines that are compared
 */
export function curveDifference(own: Curves, again: Curves, lines: readonly string[]): CurveDifference | undefined {
  const differences = lines.flatMap((line) => lineDifference(line, own[line] ?? [], again[line] ?? []) ?? []);
  const [first] = [...differences].sort((one, other) => one.step - other.step);
  return first && { ...first, apart: Math.max(...differences.map(({ apart }) => apart)) };
}

function lineDifference(
  line: string,
  own: readonly (number | null)[],
  again: readonly (number | null)[],
): CurveDifference | undefined {
  const steps = Array.from({ length: Math.max(own.length, again.length) }, (_, step) => step);
  const first = steps.find((step) => (own[step] ?? null) !== (again[step] ?? null));
  if (first === undefined) return undefined;
  const apart = steps.flatMap((step) => {
    const [one, other] = [own[step] ?? null, again[step] ?? null];
    return one === null || other === null ? [] : [Math.abs(one - other)];
  });
  const largest = Math.max(1, ...own.map((value) => Math.abs(value ?? 0)));
  const mean = apart.reduce((sum, one) => sum + one, 0) / Math.max(1, apart.length) / largest;
  return { line, step: first, own: own[first] ?? null, again: again[first] ?? null, apart: mean };
}

/** What a run has otherwise than the lesson's, whatever its seed and the sizes of its updates; empty for nothing. */
export function configurationDifferences(
  run: LessonRun,
  { environment, settings, controls, schedule }: RunConfiguration,
): readonly string[] {
  const lesson = lessonRun(run);
  if (environment !== lesson.environment) return [`environment ${environment}, the lesson has ${lesson.environment}`];
  const other = (own: RunConfiguration['controls'], wanted: RunConfiguration['controls']) =>
    Object.entries(wanted).flatMap(([name, value]) =>
      own[name] === value || SIZES.includes(name) ? [] : [`${name} ${own[name]}, the lesson has ${value}`],
    );
  const planned = JSON.stringify(schedule) === JSON.stringify(lesson.schedule);
  return [
    ...other(settings, lesson.settings),
    ...other(controls, lesson.controls),
    ...(planned ? [] : ['other changes on the way than the lesson’s']),
  ];
}
