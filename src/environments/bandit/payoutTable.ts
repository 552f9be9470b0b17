import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { BanditRewards } from './banditSettings.ts';
import { ACTIONS, EFFECTS, type Effect } from './vocabulary.ts';

/** Effects of the first actions of a table, and its right second action. */
export interface PayoutTable {
  readonly index: number;
  /** Effect on the outcome, [first action]. Each effect belongs to one action. */
  readonly effects: readonly Effect[];
  /** Second action that collects the prize. */
  readonly right: number;
}

/** Rewards of the actions of a table, and the probability that an outcome is given. */
export interface TableRewards {
  /** Immediate reward, [first action]. */
  readonly reward: readonly number[];
  /** Outcome if it is given, [first action][second action]. */
  readonly outcome: readonly (readonly number[])[];
  /** Probability that an outcome is given, 0 to 1. Otherwise the outcome is 0. */
  readonly chance: number;
}

/** Draws the tables of a world: the effects of the first actions, and the right second action. */
export function payoutTables(count: number, worldSeed: number): readonly PayoutTable[] {
  return Array.from({ length: count }, (_, index) => {
    const random = new CounterRandom(worldSeed, STREAMS.world, index);
    const effects = random.permutation(ACTIONS).map((effect) => EFFECTS[effect]);
    return { index, effects, right: random.integer(ACTIONS) };
  });
}

/**
 * Returns the rewards of a table.
 * @param chance probability that an outcome is given, 0 to 1
 */
export function computeTableRewards({ effects, right }: PayoutTable, rewards: BanditRewards, chance = 1): TableRewards {
  const atOnce: Readonly<Record<Effect, number>> = {
    spoiled: rewards.rewardBait,
    enabled: rewards.rewardKey,
    nothing: 0,
  };
  const outcomes: Readonly<Record<Effect, number>> = {
    spoiled: 0,
    enabled: rewards.outcomePrize,
    nothing: rewards.outcomeCrumb,
  };
  return {
    reward: effects.map((effect) => atOnce[effect]),
    outcome: effects.map((effect) =>
      Array.from({ length: ACTIONS }, (_, action) => (action === right ? outcomes[effect] : 0)),
    ),
    chance,
  };
}
