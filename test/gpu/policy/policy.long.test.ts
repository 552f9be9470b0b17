import { test } from 'vitest';
import { expectReferenceForward } from './policyForward.ts';
import { LARGEST_HEAD } from './policyShapes.ts';

test.each(Object.entries(LARGEST_HEAD))(
  'log-probabilities, entropies and values equal those of the float64 network: %s',
  (_, config) => expectReferenceForward(config),
);
