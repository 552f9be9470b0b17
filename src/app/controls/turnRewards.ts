import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import { childrenOf } from '../../rollouts/forest.ts';

const known = new Map<string, boolean>();

/**
 * Returns true if advantages under a rule depend on the rewards of turns before the last. The function compares the
 * rule's example with a copy that has other turn rewards. Custom rules count as dependent.
 */
export function usesTurnRewards(name: string): boolean {
  if (isCustomRuleName(name)) return true;
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const { example, credit } = findRule(name);
  const children = childrenOf(example);
  const turns = example.turns.map((turn, index) =>
    children[index]?.length === 0 ? turn : { ...turn, reward: turn.reward + 1 + index },
  );
  const before = credit(example, {}).advantage;
  const after = credit({ ...example, turns }, {}).advantage;
  const isUsed = before.some((advantage, turn) => Math.abs(advantage - (after[turn] ?? Number.NaN)) > 1e-9);
  known.set(name, isUsed);
  return isUsed;
}
