import { childrenOf, type Group, type Turn } from '../rollouts/forest.ts';

/*
 * What a rollout was paid, for every rule. A file of groups has turn rewards, outcomes, and `outcomeIsTotal`, which says
 * whether an outcome contains the turn rewards (true) or is added to them (false). Rules read them in three ways:
 * - rules without turn rewards take the outcome as it is;
 * - rules of attempts (Murphy) take the reward of every turn, the last one included, and no outcome;
 * - the others add the turn rewards and the outcome.
 */

/** Rules that take no turn rewards. A test holds this list against the arithmetic. */
export const OUTCOME_RULES: readonly string[] = [
  ...['grpo-or', 'dr-grpo', 'rloo', 'maxrl', 'reinforce-plus-plus', 'grpo-mt', 'ppo-or'],
  ...['tempo', 'igpo', 'vineppo', 'tree-grpo', 'verpo'],
];
/** Rules that take no outcome: every turn is an attempt with a reward of its own. */
export const ATTEMPT_RULES: readonly string[] = ['murphy-mars', 'murphy-mers'];

/**
 * Returns a group with the rewards and outcomes as a rule reads them; the group itself if that changes nothing. Outcomes without
 * the turn rewards are no longer totals, so a second call changes nothing.
 * The reward of the last turn of an attempt rule becomes what the rollout was paid last: without `outcomeIsTotal`, only if no
 * turn of the group has a reward of its own.
 * @param rule its name
 */
export function withTotals(rule: string, group: Group): Group {
  const attempts = ATTEMPT_RULES.includes(rule);
  const total = group.outcomeIsTotal;
  if (OUTCOME_RULES.includes(rule) || (!attempts && total !== true)) return group;
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
