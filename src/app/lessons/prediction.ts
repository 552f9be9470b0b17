import type { PredictionChoice } from '../../lessons/lesson.ts';

/** Points of a drawn curve, its ends among them. */
export const POINTS = 11;

/** A predicted curve: shares at evenly spaced steps; null where nothing is drawn yet. */
export type Prediction = readonly (number | null)[];

export const EMPTY_PREDICTION: Prediction = Array.from({ length: POINTS }, () => null);

/** The step of a point. @param steps of the run */
export function stepOf(point: number, steps: number): number {
  return Math.round((point * steps) / (POINTS - 1));
}

/** True if each point of the curve has a value. */
export function isFullyDrawn(prediction: Prediction): prediction is readonly number[] {
  return prediction.length === POINTS && prediction.every((value) => value !== null);
}

/** The curve of a choice at the points of a drawn one. */
export function ofChoice({ points }: PredictionChoice, steps: number): Prediction {
  return EMPTY_PREDICTION.map((_, point) => between(points, stepOf(point, steps)));
}

/** A predicted share at any step, straight between points; NaN where it is not drawn. */
export function predictedAt(prediction: Prediction, step: number, steps: number): number {
  const drawn = prediction.flatMap((value, point) => (value === null ? [] : [[stepOf(point, steps), value] as const]));
  const [first, last] = [drawn[0]?.[0] ?? Infinity, drawn.at(-1)?.[0] ?? -Infinity];
  return step < first || step > last ? Number.NaN : between(drawn, step);
}

/**
 * A stroke of the pointer from one place to another: every point between them is drawn.
 * @param from place along the points (3.4 is between the fourth and the fifth) and share, undefined where a stroke begins
 */
export function stroke(prediction: Prediction, from: StrokePoint | undefined, to: StrokePoint): Prediction {
  const start = from ?? to;
  const [low, high] = [Math.min(start.at, to.at), Math.max(start.at, to.at)];
  return prediction.map((value, point) => {
    // If no point lies between, the nearest point is used.
    const near = Math.round(to.at) === point;
    if (!near && (point < low || point > high)) return value;
    const share =
      near || high === low
        ? to.value
        : start.value + ((point - start.at) / (to.at - start.at)) * (to.value - start.value);
    return clamp(share);
  });
}

export interface StrokePoint {
  readonly at: number;
  readonly value: number;
}

/** One point moved by keys; the others that are not drawn yet follow it, so that a curve is whole at once. */
export function nudge(prediction: Prediction, point: number, by: number): Prediction {
  const present = prediction[point] ?? prediction.find((value) => value !== null) ?? 0.5;
  const value = clamp(Math.round((present + by) * 100) / 100);
  return prediction.map((predicted, index) => (index === point ? value : (predicted ?? present)));
}

/**
 * Returns the distance of a prediction from the result, mean over the steps, in hundredths; NaN if there is no result.
 */
export function distance(
  prediction: Prediction,
  actual: readonly (readonly [step: number, value: number])[],
  steps: number,
) {
  const apart = actual
    .map(([step, value]) => Math.abs(value - predictedAt(prediction, step, steps)))
    .filter(Number.isFinite);
  return Math.round((100 * apart.reduce((sum, difference) => sum + difference, 0)) / apart.length);
}

function between(points: readonly (readonly [number, number])[], step: number): number {
  const after = points.findIndex(([at]) => at >= step);
  const [end, value] = points[after] ?? points.at(-1) ?? [0, Number.NaN];
  const [start, before] = points[after - 1] ?? [end, value];
  return end === start ? value : before + ((step - start) / (end - start)) * (value - before);
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));
