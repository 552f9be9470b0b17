import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { BanditRewards } from './banditSettings.ts';
import { ACTIONS, EFFECTS, type Effect } from './vocabulary.ts';

/** Effects of the actions of a table. */
export interface PayoutTable {
  readonly index: number;
  /** [first action] what it does to the outcome: one action each. */
  readonly effects: readonly Effect[];
  /** The second action that takes the prize. */
  readonly right: number;
}

/** Rewards of the actions of a table, and the probability of the outcome. */
export interface TableRewards {
  /** [first action] paid at once. */
  readonly reward: readonly number[];
  /** [first action][second action] outcome that is earned. */
  readonly outcome: readonly (readonly number[])[];
  /** Probability that an earned outcome is given, from 0 to 1; otherwise it is 0. */
  readonly chance: number;
}

/** The tables of a world: in each, bait, key and idle action and the right second action are drawn. */
export function payoutTables(count: number, worldSeed: number): readonly PayoutTable[] {
  return Array.from({ length: count }, (_, index) => {
    const random = new CounterRandom(worldSeed, STREAMS.world, index);
    const effects = random.permutation(ACTIONS).map((effect) => EFFECTS[effect]);
    return { index, effects, right: random.integer(ACTIONS) };
  });
}

/**
 * Returns the payouts of a table under these rewards.
 * @param chance probability that an outcome is given
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
