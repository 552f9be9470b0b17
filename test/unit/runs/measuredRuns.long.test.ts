import { describe, test } from 'vitest';
import { expectSameRunMeasured } from './measuredRuns.ts';

describe.each(['repair', 'repo'] as const)('%s', (environment) => {
  test('measured on held-out tasks or not, a run is the same', () => expectSameRunMeasured(environment));
});
