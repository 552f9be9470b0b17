import { expect, test } from 'vitest';
import { policyOf, roundTripPolicy } from '../../../../src/cli/framework/policyFiles.ts';
import { initialParameters, parameterLayout } from '../../../../src/policy/weights.ts';
import { openingRun } from '../../../../src/training/data/worlds.ts';

test('a policy from the device equals the same policy from its file, with any bytes after the last tensor', () => {
  const shape = policyOf(openingRun('search').settings);
  const { size, padded } = parameterLayout(shape);
  const initial = initialParameters(shape, 1);
  const onDevice = new Float32Array(padded).fill(7);
  onDevice.set(initial.subarray(0, size));
  const { parameters } = roundTripPolicy(shape, onDevice);
  expect(parameters).toEqual(roundTripPolicy(shape, initial.slice(0, size)).parameters);
  expect(parameters.subarray(0, size)).toEqual(initial.subarray(0, size));
});
