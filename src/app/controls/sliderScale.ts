import { clampParameter, type NumberParameter } from '../../parameters/parameters.ts';

/** Largest position of a slider. Positions are 0 to this value. */
export const SLIDER_STEPS = 1000;

/** Returns the smallest value that a logarithmic slider distinguishes from zero. */
function logFloor({ min, step }: NumberParameter): number {
  return min > 0 ? min : step;
}

/** Returns the position of a value on its slider, 0 to SLIDER_STEPS. */
export function toSlider(parameter: NumberParameter, value: number): number {
  const { min, max } = parameter;
  if (parameter.scale !== 'log') return ((value - min) / (max - min)) * SLIDER_STEPS;
  const floor = logFloor(parameter);
  if (value <= floor) return value < floor ? 0 : 1;
  return (Math.log(value / floor) / Math.log(max / floor)) * SLIDER_STEPS;
}

/** Returns the value at a position: a multiple of the step, or two significant digits on a logarithmic slider. */
export function fromSlider(parameter: NumberParameter, position: number): number {
  const { min, max, step } = parameter;
  if (parameter.scale === 'log') {
    if (position < 0.5 && min <= 0) return min;
    const floor = logFloor(parameter);
    const value = floor * (max / floor) ** (position / SLIDER_STEPS);
    return Number(clampParameter(parameter, Number(value.toPrecision(2))));
  }
  const value = min + Math.round(((position / SLIDER_STEPS) * (max - min)) / step) * step;
  return Number(clampParameter(parameter, Number(value.toPrecision(10))));
}
