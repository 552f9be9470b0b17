/**
 * Basis of the comparison of turns. `history`: all actions before the turn, which makes a prefix tree. `paper`: the
 * operations on each file as a set, and counts (Rollout-Tree Monte Carlo, section 4). `coarse`: of these the edits and
 * the counts of test results alone. `contents`: the files as they are, with the last action and its observation
 * (GiGPO's anchor states).
 */
export const GRANULARITIES = ['history', 'paper', 'coarse', 'contents'] as const;
export type Granularity = (typeof GRANULARITIES)[number];
