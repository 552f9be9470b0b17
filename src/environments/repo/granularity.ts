/**
 * Definition of equal states, for the comparison of turns. `history`: all actions before the turn, which results in a
 * prefix tree. `paper`: the operations on each file as a set, and counts (Rollout-Tree Monte Carlo, section 4).
 * `coarse`: only the edits and the counts of test results. `contents`: the present files, with the last action and its
 * observation (the anchor states of GiGPO).
 */
export const GRANULARITIES = ['history', 'paper', 'coarse', 'contents'] as const;
export type Granularity = (typeof GRANULARITIES)[number];
