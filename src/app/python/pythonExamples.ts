import type { Draft } from './pythonJob.ts';

export const EXAMPLES = ['right', 'bug', 'endless', 'violation', 'own'] as const;
export type ExampleName = (typeof EXAMPLES)[number];

/** Initial examples of the panel. The first four each show another kind of test result. */
export const EXERCISES: Readonly<Record<ExampleName, Draft>> = {
  right: {
    program: `def merge(a, b):
    """Merges two sorted lists into one."""
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
    tests: `assert merge([1, 4, 9], [2, 3]) == [1, 2, 3, 4, 9]
assert merge([], [5]) == [5]
assert merge([1, 1], [1]) == [1, 1, 1]
`,
  },
  bug: {
    program: `def median(numbers):
    numbers = sorted(numbers)
    middle = len(numbers) // 2
    print("sorted:", numbers)
    # Correct for an odd count. Even count? Empty list?
    return numbers[middle]
`,
    tests: `assert median([3, 1, 2]) == 2
assert median([4, 1, 3, 2]) == 2.5
assert median([]) is None
`,
  },
  endless: {
    program: `def collatz(n):
    """Number of steps until n is 1."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
`,
    tests: `assert collatz(6) == 8
assert collatz(27) == 111
assert collatz(0) == 0
`,
  },
  violation: {
    program: `import re


def double(n):
    # No solution needs the operating system. The sandbox
    # detects this call, which reaches it through a module.
    system = re.enum.sys.modules["posix"].system
    system("cat answers.txt")
    return n + n
`,
    tests: `assert double(2) == 4
assert double("ab") == "abab"
`,
  },
  own: {
    program: `def f(x):
    return x
`,
    tests: `assert f(1) == 1
`,
  },
};
