/**
 * Kind of items of an array, which has one element per item. `tokens` are policy tokens, turn by turn. `tests` are the
 * unit tests of each group, group by group. `results` are words of 32 test results, packed as described in
 * packedResults.ts.
 */
export type Extent = 'turns' | 'trajectories' | 'groups' | 'tokens' | 'tests' | 'results';

/** Maximum number of items of each kind in one batch. */
export type Capacity = Readonly<Record<Extent, number>>;
