import { childrenOf, type Group, type Turn } from '../rollouts/forest.ts';
import type { CreditRule } from './rule.ts';

/*
 * Rewards of a rollout as each rule reads them. A file of groups has turn rewards, outcomes, and `outcomeIsTotal`: an
 * outcome contains the turn rewards (true) or is added to them (false). `CreditRule.rewards` names the rewards that a
 * rule reads.
 */

/**
 * Returns a group with rewards and outcomes in the form that a rule reads, or the group itself if they do not change.
 * Outcomes without the turn rewards are no longer totals, so a second call changes nothing. Under an attempt rule, the
 * last turn's reward becomes the last reward of the rollout. Without `outcomeIsTotal`, this applies only if no turn of
 * the group has a reward.
 */
export function withTotals({ rewards }: Pick<CreditRule, 'rewards'>, group: Group): Group {
  const attempts = rewards === 'attempts';
  const total = group.outcomeIsTotal;
  if (rewards === 'outcome' || (!attempts && total !== true)) return group;
  if (attempts && typeof total !== 'boolean' && group.turns.some(({ reward }) => reward !== 0)) return group;
  const children = childrenOf(group);
  const before: number[] = [];
  const turns = group.turns.map((turn, index): Turn => {
    const { parent, reward, outcome } = turn;
    before.push(parent < 0 ? 0 : before[parent] + group.turns[parent].reward);
    if (children[index].length > 0 || outcome === undefined) return turn;
    if (!attempts) return { ...turn, reward: 0, outcome: outcome - before[index] };
    return { ...turn, reward: total === true ? outcome - before[index] : reward + outcome };
  });
  return { ...group, turns, ...(attempts ? {} : { outcomeIsTotal: false }) };
}
