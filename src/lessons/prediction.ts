import type { PredictionChoice } from './lesson.ts';

/** Number of points of a drawn curve, including both ends. */
export const POINTS = 11;

/** Predicted curve: shares, 0 to 1, at POINTS evenly spaced steps. A point that is not drawn yet is null. */
export type Prediction = readonly (number | null)[];

export const EMPTY_PREDICTION: Prediction = Array.from({ length: POINTS }, () => null);

/** Returns the step of a point, from 0 to `steps`. @param steps number of updates of the run */
export function stepOf(point: number, steps: number): number {
  return Math.round((point * steps) / (POINTS - 1));
}

/** Returns true if each point of the curve has a value. */
export function isFullyDrawn(prediction: Prediction): prediction is readonly number[] {
  return prediction.length === POINTS && prediction.every((value) => value !== null);
}

/** Converts the curve of a choice to a prediction. @param steps number of updates of the run */
export function ofChoice({ points }: PredictionChoice, steps: number): Prediction {
  return EMPTY_PREDICTION.map((_, point) => between(points, stepOf(point, steps)));
}

/** Returns the predicted share at a step by linear interpolation; NaN outside of the drawn points. */
export function predictedAt(prediction: Prediction, step: number, steps: number): number {
  const drawn = prediction.flatMap((value, point) =>
    value === null ? [] : [[(point * steps) / (prediction.length - 1), value] as const],
  );
  const [first, last] = [drawn[0]?.[0] ?? Infinity, drawn.at(-1)?.[0] ?? -Infinity];
  return step < first || step > last ? Number.NaN : between(drawn, step);
}

/**
 * Returns a prediction after a stroke of the pointer, which sets all points between two positions.
 * @param from previous position; undefined at the start of a stroke
 * @param to current position
 */
export function stroke(prediction: Prediction, from: StrokePoint | undefined, to: StrokePoint): Prediction {
  const start = from ?? to;
  const [low, high] = [Math.min(start.at, to.at), Math.max(start.at, to.at)];
  return prediction.map((value, point) => {
    // The nearest point is set too, because no point may be between the positions.
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

/**
 * Returns a prediction with one point moved. Points that are not drawn yet get the previous value of this point. The
 * curve is therefore complete after the first key press.
 */
export function nudge(prediction: Prediction, point: number, by: number): Prediction {
  const present = prediction[point] ?? prediction.find((value) => value !== null) ?? 0.5;
  const value = clamp(Math.round((present + by) * 100) / 100);
  return prediction.map((predicted, index) => (index === point ? value : (predicted ?? present)));
}

/**
 * Returns the absolute differences between a prediction and the measured values of a curve.
 * @param curve value after each update, null if it was not measured
 */
export function differences(prediction: Prediction, curve: readonly (number | null)[], steps: number): number[] {
  return curve
    .map((value, step) => Math.abs((value ?? Number.NaN) - predictedAt(prediction, step + 1, steps)))
    .filter(Number.isFinite);
}

function between(points: readonly (readonly [number, number])[], step: number): number {
  const after = points.findIndex(([at]) => at >= step);
  const [end, value] = points[after] ?? points.at(-1) ?? [0, Number.NaN];
  const [start, before] = points[after - 1] ?? [end, value];
  return end === start ? value : before + ((step - start) / (end - start)) * (value - before);
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));
