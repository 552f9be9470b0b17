/**
 * Items for which an array holds one element each. `tokens` are those that the policy wrote, turn by turn; `tests` the
 * unit tests of each group, group by group; `results` words of 32 test results, packed as described in
 * packedResults.ts.
 */
export type Extent = 'turns' | 'trajectories' | 'groups' | 'tokens' | 'tests' | 'results';

/** The most elements of each kind that one batch may have. */
export type Capacity = Readonly<Record<Extent, number>>;
