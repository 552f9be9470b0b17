/** Logged number, and the number that a scheme expects. */
export interface Pair {
  readonly rollout: number;
  readonly turn: number;
  readonly logged: number;
  readonly expected: number;
}

/**
 * Returns a likely cause of the differences within a group; undefined if they match no known pattern.
 * @param pairs all numbers of the group
 * @param differs returns true if two numbers differ by more than the tolerance
 */
export function likelyCause(pairs: readonly Pair[], differs: (a: number, b: number) => boolean): string | undefined {
  const wrong = pairs.filter(({ logged, expected }) => differs(logged, expected));
  if (pairs.length < 2 || wrong.length === 0) return undefined;
  if (pairs.every(({ logged }) => logged === 0)) return 'all logged advantages of the group are 0';
  if (wrong.every(({ logged, expected }) => !differs(-logged, expected))) return 'the sign is reversed';
  if (new Set(wrong.map(({ rollout }) => rollout)).size === 1 && new Set(pairs.map(({ rollout }) => rollout)).size > 2)
    return 'only this rollout differs: its logged reward is not the reward that the trainer used';
  const sorted = (key: 'logged' | 'expected') => pairs.map((pair) => pair[key]).sort((a, b) => a - b);
  const [logged, expected] = [sorted('logged'), sorted('expected')];
  if (logged.every((value, at) => !differs(value, expected[at])))
    return 'the same numbers in another order: rows of rewards and advantages do not correspond';
  const shift = pairs[0].logged - pairs[0].expected;
  if (pairs.every((pair) => !differs(pair.logged - pair.expected, shift)))
    return `all numbers differ by ${shift.toPrecision(4)}: the mean contains other rollouts`;
  const nonzero = pairs.filter(({ expected }) => expected !== 0);
  const factor = nonzero[0] === undefined ? Number.NaN : nonzero[0].logged / nonzero[0].expected;
  if (pairs.every((pair) => !differs(pair.logged, factor * pair.expected)))
    return `all numbers differ by the factor ${factor.toPrecision(4)}: another deviation or epsilon`;
  return undefined;
}
