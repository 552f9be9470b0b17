import { test } from 'vitest';
import { findFacts } from '../../../src/credit/ruleFacts.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import { expectSameFirstUpdate } from './firstUpdate.ts';

/** Rules of a kind give the same work to an engine: the same shape of rollouts, of advantages and of a critic. */
function kindOf(name: string): string {
  const facts = findFacts(name);
  const { family, input, unit, sharesInTurn = false } = facts;
  return [family, input, unit, sharesInTurn, 'samplingParameters' in facts].join();
}

/** The first rule of each kind. */
const CASES = (Object.keys(OFFERED) as EnvironmentName[]).flatMap((environment) =>
  [...new Map(OFFERED[environment].toReversed().map((rule) => [kindOf(rule), rule])).values()]
    .toReversed()
    .map((rule): [EnvironmentName, string] => [environment, rule]),
);

test.each(CASES)('the first update on the exact engine is that of WGSL: %s under %s', (environment, rule) =>
  expectSameFirstUpdate(environment, { controls: { rule, criticUpdates: 0 } }),
);
