/**
 * What an array holds one element for. `tokens` are those that the policy wrote, turn by turn; `tests` the unit tests
 * of each group, group by group; `results` words of 32 test results, packed as packedResults.ts says.
 */
export type Extent = 'turns' | 'trajectories' | 'groups' | 'tokens' | 'tests' | 'results';

/** The most elements of each kind that one batch may have. */
export type Capacity = Readonly<Record<Extent, number>>;
