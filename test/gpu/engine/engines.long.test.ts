import { test } from 'vitest';
import { findFacts } from '../../../src/credit/ruleFacts.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import { expectSameFirstUpdate } from './firstUpdate.ts';

/**
 * Returns the kind of a rule. Rules of one kind need the same work of an engine: rollouts, advantages and critics of
 * the same shape.
 */
function kindOf(name: string): string {
  const facts = findFacts(name);
  const { family, input, unit, sharesInTurn = false } = facts;
  return [family, input, unit, sharesInTurn, 'samplingParameters' in facts].join();
}

/** The first rule of each kind in each environment. */
const CASES = (Object.keys(OFFERED) as EnvironmentName[]).flatMap((environment) =>
  [...new Map(OFFERED[environment].toReversed().map((rule) => [kindOf(rule), rule])).values()]
    .toReversed()
    .map((rule): [EnvironmentName, string] => [environment, rule]),
);

test.each(CASES)('the exact engine and WGSL compute the same first update in %s under %s', (environment, rule) =>
  expectSameFirstUpdate(environment, { controls: { rule, criticUpdates: 0 } }),
);
