import type { Job, ProgramResult, UnitTestResult } from '../../sandbox/types.ts';
import { EXAMPLES, EXERCISES, type ExampleName } from './pythonExamples.ts';
import { type Draft, type DraftProblem, readTests, type TestLine, testJobs, toDraftTestResult } from './pythonJob.ts';

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
