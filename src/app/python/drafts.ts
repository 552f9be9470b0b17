import { pythonLanguage } from '@codemirror/lang-python';
import type { Job, ProgramResult, UnitTestResult } from '@turnwise/python-sandbox/types';
import { pythonStrings } from '../strings/pythonStrings.ts';

/** Maximum number of tests. The terminal runs files with more tests. */
export const MAX_TESTS = 50;

/** Program with its tests, as text that the user edits. */
export interface Draft {
  readonly program: string;
  /** Python `assert` statements, one per line. */
  readonly tests: string;
}

/** One `assert` statement of a draft. */
interface TestLine {
  /** Line number in the tests, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Reason why the tests cannot run, and its line (from 1). */
interface DraftProblem {
  readonly problem: string;
  readonly line: number;
}

const ENTRY = '_turnwise_test';
const ACTUAL = '_turnwise_actual';

/** Returns the `assert` statements of a draft, or the first invalid line. Blank lines and comments are skipped. */
export function readTests(
  tests: string,
): { readonly lines: readonly TestLine[] } | { readonly rejection: DraftProblem } {
  const lines = tests
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  const invalid = lines.find(({ text }) => !/^assert\b/.test(text));
  if (invalid) return { rejection: { line: invalid.line, problem: pythonStrings.notAssert(invalid.line) } };
  if (lines.length === 0) return { rejection: { line: 1, problem: pythonStrings.noTest } };
  const extra = lines[MAX_TESTS];
  if (extra) return { rejection: { line: extra.line, problem: pythonStrings.maximum(MAX_TESTS) } };
  return { lines };
}

/** Returns a job for each test: the program, followed by a function with the assert statement. */
export function testJobs(program: string, lines: readonly TestLine[]): Job[] {
  return lines.map(({ text }) => ({
    program: `${program}\n\ndef ${ENTRY}():\n    ${withActual(text)}\n`,
    entry: ENTRY,
    tests: [{ args: [], expected: null }],
  }));
}

/**
 * Adds the actual value of `assert CALL == VALUE` to its error message. Other statements are unchanged, for example a
 * comparison of more than two values or a statement with a custom message.
 */
function withActual(text: string): string {
  const tree = pythonLanguage.parser.parse(text);
  let isWrong = false;
  tree.iterate({
    enter: ({ type }) => {
      isWrong ||= type.isError;
    },
  });
  const statement = tree.topNode.firstChild;
  const compared = statement?.getChild('BinaryExpression');
  const operator = compared?.getChild('CompareOp');
  const left = compared?.firstChild;
  if (isWrong || statement?.nextSibling || statement?.getChild(',') || !compared || !operator || !left) return text;
  if (text.slice(operator.from, operator.to) !== '==' || left.getChild('CompareOp')) return text;
  const [call, value] = [text.slice(left.from, left.to), text.slice(operator.to, compared.to).trim()];
  return `${ACTUAL} = (${call}); assert ${ACTUAL} == (${value}), ${JSON.stringify(pythonStrings.returned)} + repr(${ACTUAL})`;
}

/**
 * Returns a result in terms of the draft: a test whose assertion fails is `failed`, and an error outside the program
 * has no line.
 */
export function toDraftTestResult(result: UnitTestResult, program: string): UnitTestResult {
  const { error } = result;
  if (error?.line === undefined || error.line <= program.split('\n').length) return result;
  const { line: _, ...outside } = error;
  if (error.type !== 'AssertionError') return { ...result, error: outside };
  return { ...result, status: 'failed', error: outside };
}

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

const KEY = 'turnwise-python';

/** Tests of a draft that can run. */
export interface ReadyTests {
  readonly draft: Draft;
  readonly lines: readonly TestLine[];
  /** Jobs of the sandbox, one per line. */
  readonly jobs: readonly Job[];
}

/** Test with its result. */
export interface TestResult extends TestLine {
  readonly testResult: UnitTestResult;
}

/** Results of the tests of a draft. */
interface Result {
  readonly draft: Draft;
  readonly tests: readonly TestResult[];
  readonly fuel: number;
}

/**
 * Drafts of the Python panel: one for each example, with its last result. The drafts remain after the panel is closed.
 * If the browser allows storage, they also remain after a reload of the tab.
 */
export class Workspace {
  chosen: ExampleName = 'right';
  private readonly drafts = new Map<ExampleName, Draft>(EXAMPLES.map((name) => [name, EXERCISES[name]]));
  private readonly results = new Map<ExampleName, Result>();
  private readonly rejections = new Map<ExampleName, DraftProblem>();

  /** @param storage storage for the drafts; if undefined, a reload discards them */
  constructor(private readonly storage?: Pick<Storage, 'getItem' | 'setItem'>) {
    this.restore();
  }

  get draft(): Draft {
    return this.drafts.get(this.chosen) as Draft;
  }

  /** Reason why the tests did not run; undefined after a change of the tests. */
  get rejection(): DraftProblem | undefined {
    return this.rejections.get(this.chosen);
  }

  get result(): Result | undefined {
    return this.results.get(this.chosen);
  }

  /** True if the result is for the present text of the draft. */
  get current(): boolean {
    const { draft, result } = this;
    return result?.draft.program === draft.program && result.draft.tests === draft.tests;
  }

  choose(name: ExampleName): void {
    this.chosen = name;
    this.save();
  }

  change(changes: Partial<Draft>): void {
    if (changes.tests !== undefined) this.rejections.delete(this.chosen);
    this.drafts.set(this.chosen, { ...this.draft, ...changes });
    this.save();
  }

  /** Restores the example. */
  reset(): void {
    this.results.delete(this.chosen);
    this.change(EXERCISES[this.chosen]);
  }

  /** Reads the tests. Returns undefined and sets `rejection` if a line is not a test. */
  ready(): ReadyTests | undefined {
    const { draft } = this;
    const read = readTests(draft.tests);
    if ('rejection' in read) {
      this.rejections.set(this.chosen, read.rejection);
      return undefined;
    }
    this.rejections.delete(this.chosen);
    return { draft, lines: read.lines, jobs: testJobs(draft.program, read.lines) };
  }

  /**
   * Stores the results of tests.
   * @param name example that ran, even if another example is chosen now
   * @param results results of the jobs [tests]
   */
  settle(name: ExampleName, { draft, lines }: ReadyTests, results: readonly ProgramResult[]): void {
    const tests = results.flatMap(({ tests: [testResult] }, index) => {
      const line = lines[index];
      return line && testResult ? [{ ...line, testResult: toDraftTestResult(testResult, draft.program) }] : [];
    });
    this.results.set(name, { draft, tests, fuel: results.reduce((sum, { fuel }) => sum + fuel, 0) });
  }

  private save(): void {
    try {
      this.storage?.setItem(KEY, JSON.stringify({ chosen: this.chosen, drafts: Object.fromEntries(this.drafts) }));
    } catch {
      // If storage is full or forbidden, the drafts last until the page is closed.
    }
  }

  /** Restores the stored drafts and ignores invalid values. */
  private restore(): void {
    try {
      const saved = JSON.parse(this.storage?.getItem(KEY) ?? '{}');
      if (EXAMPLES.includes(saved.chosen)) this.chosen = saved.chosen;
      for (const name of EXAMPLES) {
        const { program, tests } = saved.drafts?.[name] ?? {};
        if (typeof program === 'string' && typeof tests === 'string') this.drafts.set(name, { program, tests });
      }
    } catch {
      // If storage is invalid or forbidden, the drafts are the initial examples.
    }
  }
}
