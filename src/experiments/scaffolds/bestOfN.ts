import { bestOf, FRESH, passes, type Scaffold } from './scaffold.ts';

/**
 * Independent first programs. The answer passes the most visible tests; of several that pass as many, it is the one that the
 * verifier likes best, or the first one without a verifier. Without one the search is over at the first program that
 * passes all visible tests: no later one would be preferred to it.
 *
 * μCode (Jain et al. 2025, "Multi-Turn Code Generation Through Single-Step Rewards", arXiv 2502.20380) chooses among N by its
 * verifier at every turn; this is one such turn, with the visible tests before the verifier.
 * @param verified whether there is a verifier
 */
export function bestOfN(verified: boolean): Scaffold {
  return {
    next: (tried) => (!verified && tried.some(passes) ? [] : [FRESH]),
    answer: (tried) => bestOf(tried, ({ visible, verified: score = 0 }) => [visible, score]),
  };
}
