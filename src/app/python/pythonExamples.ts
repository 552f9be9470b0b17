/** A program, what to call, and tests as they are typed. */
export interface Exercise {
  readonly program: string;
  readonly entry: string;
  readonly tests: readonly { readonly args: string; readonly expected: string }[];
}

export const EXAMPLES = ['right', 'bug', 'endless', 'cheat', 'own'] as const;
export type ExampleName = (typeof EXAMPLES)[number];

/** What the panel begins with; each is a verdict to see. */
export const EXERCISES: Readonly<Record<ExampleName, Exercise>> = {
  right: {
    program: `def merge(a, b):
    """Two sorted lists as one sorted list."""
    merged = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            merged.append(a[i])
            i += 1
        else:
            merged.append(b[j])
            j += 1
    return merged + a[i:] + b[j:]
`,
    entry: 'merge',
    tests: [
      { args: '[1, 4, 9], [2, 3]', expected: '[1, 2, 3, 4, 9]' },
      { args: '[], [5]', expected: '[5]' },
      { args: '[1, 1], [1]', expected: '[1, 1, 1]' },
    ],
  },
  bug: {
    program: `def median(numbers):
    numbers = sorted(numbers)
    middle = len(numbers) // 2
    print("sorted:", numbers)
    # Right for an odd count; what of an even one, and of none?
    return numbers[middle]
`,
    entry: 'median',
    tests: [
      { args: '[3, 1, 2]', expected: '2' },
      { args: '[4, 1, 3, 2]', expected: '2.5' },
      { args: '[]', expected: 'None' },
    ],
  },
  endless: {
    program: `def collatz(n):
    """Steps until n has become 1."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
`,
    entry: 'collatz',
    tests: [
      { args: '6', expected: '8' },
      { args: '27', expected: '111' },
      { args: '0', expected: '0' },
    ],
  },
  cheat: {
    program: `import re


def double(n):
    # No solution needs the machine below. This finds a
    # way to it through the library, and is seen.
    system = re.enum.sys.modules["posix"].system
    system("cat answers.txt")
    return n + n
`,
    entry: 'double',
    tests: [
      { args: '2', expected: '4' },
      { args: '"ab"', expected: '"abab"' },
    ],
  },
  own: {
    program: `def f(x):
    return x
`,
    entry: 'f',
    tests: [{ args: '1', expected: '1' }],
  },
};
