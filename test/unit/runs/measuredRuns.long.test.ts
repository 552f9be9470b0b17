import { describe, test } from 'vitest';
import { expectSameRunMeasured } from './measuredRuns.ts';

describe.each(['repair', 'repo'] as const)('%s', (environment) => {
  test('held-out measurements do not change a run', () => expectSameRunMeasured(environment));
});
