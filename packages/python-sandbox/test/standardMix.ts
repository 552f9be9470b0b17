import type { Job } from '../src/types.ts';

/** Programs of the standard mix: typical solutions of coding problems, 5 to 25 lines. `K` differs between programs. */
const SHAPES: readonly { readonly source: string; readonly inputs: readonly number[][] | readonly number[] }[] = [
  {
    source:
      'def solve(values):\n    total = 0\n    for value in values:\n        if value > K:\n            total += value\n    return total',
    inputs: [[3, 200, 5000], [], [1, 2], [900, 901], [7], [400, 300], [1000], [5, 5, 5]],
  },
  {
    source:
      'def solve(values):\n    best = None\n    for i, value in enumerate(values):\n        if best is None or value * K > best:\n            best = value * K\n' +
      '    if best is None:\n        return 0\n    return best',
    inputs: [[3, 2, 5], [], [1, 2], [9, 9], [7], [4, 3], [10], [5, 5, 5]],
  },
  {
    source:
      'def solve(values):\n    counts = {}\n    for value in values:\n        key = value % 7\n        counts[key] = counts.get(key, 0) + 1\n    pairs = sorted(counts.items())\n' +
      '    out = []\n    for key, count in pairs:\n        if count > 1:\n            out.append(key + K)\n    return out',
    inputs: [[3, 10, 5], [], [1, 8, 15], [9, 9], [7], [4, 3, 11], [10], [5, 5, 5]],
  },
  {
    source:
      'def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n\ndef solve(values):\n    result = K\n    for value in values:\n        result = gcd(result, value)\n' +
      '        if result == 1:\n            break\n    return result',
    inputs: [[30, 12], [], [10, 100], [90, 60], [7], [40, 30], [10], [55, 5]],
  },
  {
    source:
      'def solve(values):\n    memo = {}\n\n    def ways(n):\n        if n < 0:\n            return 0\n        if n == 0:\n            return 1\n        if n in memo:\n            return memo[n]\n' +
      '        memo[n] = ways(n - 1) + ways(n - 2)\n        return memo[n]\n\n    total = 0\n    for value in values:\n        total += ways(value % 12)\n    squares = [x * x for x in values if x % 2]\n' +
      '    while total > K:\n        total -= K\n    return total + sum(squares)',
    inputs: [[3, 10, 5], [], [1, 8, 15], [9, 9], [7], [4, 3, 11], [10], [5, 5, 5]],
  },
];

/**
 * Returns different programs of the standard mix with eight tests each. The tests usually fail, which does not change
 * their cost.
 */
export function standardMix(count: number): Job[] {
  return Array.from({ length: count }, (_, i) => {
    const { source, inputs } = SHAPES[i % SHAPES.length];
    return {
      program: source.replaceAll('K', String(i + 17)),
      entry: 'solve',
      tests: inputs.map((values) => ({ args: [values as number[]], expected: 42 })),
    };
  });
}
