import { findRule } from '../../credit/rules.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import { comparedRule } from '../../environments/watchedTurns.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { Metrics } from '../data/protocol.ts';
import type { ExactCredit } from './exactCredit.ts';
import { selectTurns } from './selection.ts';
import { turnPay } from './turnPay.ts';

/**
 * What the turns that an environment tells of were paid in an update; null where it tells of none.
 * @param own [turns of the forest] advantages as the update used them; of a token that decides, its own (decidingCredit)
 */
export function paidTurns(
  batch: RolloutBatch,
  controls: ParameterValues,
  environment: RegisteredEnvironment,
  own: Float32Array,
  exact: ExactCredit,
): Metrics['decision'] {
  const { watchedTurns } = environment;
  if (!watchedTurns) return null;
  const rule = findRule(controls.rule as string);
  const compared = findRule(comparedRule(environment, rule.name));
  // Turns of advantage 0 are left out to save time: they count, and were paid 0.
  const kept = selectTurns(batch, rule, (group) => exact.of(group, rule), { ...controls, skipZero: 'off' });
  const other = (group: number) => exact.advantages(group, compared);
  return turnPay(watchedTurns, batch, { own, other, learned: kept?.turns });
}
