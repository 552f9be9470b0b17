import { expect, test } from 'vitest';
import { calibrationSvg } from '../../../../src/cli/compare/figures.ts';
import { accuracyOf } from '../../../../src/training/rewardModel/pairs.ts';

/** Returns the margin at which the model predicts this probability. */
const sure = (probability: number) => Math.log(probability / (1 - probability));

test('each bin has a disc at its mean prediction and accuracy, with an area by its number of pairs', () => {
  // Four pairs of .55, half of them right, and one pair of .95, right. The bins in between are empty.
  const margins = [sure(0.55), -sure(0.55), sure(0.55), -sure(0.55), sure(0.95)];
  const svg = calibrationSvg('How sure <it> is', accuracyOf(margins).bins);
  const discs = [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"[^>]*><title>([^<]*)/g)].map(
    ([, x, y, radius, text]) => [Number(x), Number(y), Number(radius), text],
  );
  // The x axis is from 56 for .5 to 316 for 1, and the y axis is from 308 for .5 to 48 for 1. Areas are 4 to 1.
  expect(discs).toEqual([
    [82, 308, 16, 'predicts .55, right in .50 of 4 pairs'],
    [290, 48, 8, 'predicts .95, right in 1.00 of 1 pairs'],
  ]);
  expect(svg).toContain('How sure &lt;it> is');
});

test('the accuracy axis extends below .5 for a model that is mostly wrong', () => {
  const svg = calibrationSvg('lower', accuracyOf([sure(0.75), -sure(0.75), -sure(0.75), -sure(0.75)]).bins);
  // The accuracy is .25 and the axis starts at .2, so the disc is .05 of .8 above its end.
  const [, y] = svg.match(/cy="([\d.]+)"/) ?? [];
  expect(Number(y)).toBeCloseTo(308 - (260 * 0.05) / 0.8, 0);
});
