import fc from 'fast-check';
import type { Group, Turn } from '../src/rollouts/forest.ts';

/** One turn of a rollout with a named state and action. */
export interface Step {
  readonly state: string;
  readonly action: string;
  readonly reward?: number;
  readonly validates?: boolean;
}

/** Rollout: its steps and its result. */
export interface Walk {
  readonly steps: readonly Step[];
  readonly outcome?: number;
  readonly solved?: boolean;
}

/** Creates a group of consecutive rollouts. */
export function walks(rollouts: readonly Walk[], id = 'group'): Group {
  const turns: Turn[] = [];
  for (const { steps, outcome, solved = false } of rollouts) {
    steps.forEach(({ reward = 0, ...step }, index) => {
      const end = index === steps.length - 1 ? { solved, ...(outcome === undefined ? {} : { outcome }) } : {};
      turns.push({ parent: index === 0 ? -1 : turns.length - 1, reward, ...step, ...end });
    });
  }
  return { id, turns };
}

// Rewards are on a grid, and there are few states and actions, so that ties and recurring states are common.
const grid = fc.integer({ min: -20, max: 20 }).map((tenths) => tenths / 10);
const step = fc.record({
  state: fc.constantFrom('a', 'b', 'c', 'ab'),
  action: fc.constantFrom('x', 'y', 'bx'),
  reward: grid,
  validates: fc.boolean(),
});

/** Arbitrary lists of 1 to 10 rollouts of 1 to 6 turns. */
export const anyWalks: fc.Arbitrary<readonly Walk[]> = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 6 }), outcome: grid, solved: fc.boolean() }),
  { minLength: 1, maxLength: 10 },
);
