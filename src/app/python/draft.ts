import type { Job, TestVerdict, Verdict } from '../../sandbox/types.ts';
import { EXAMPLES, EXERCISES, type ExampleName, type Exercise } from './pythonExamples.ts';
import { type Draft, type Refusal, readJob, type TestDraft } from './pythonJob.ts';

/** More would be a file, and files are what the terminal is for. */
export const MOST_TESTS = 50;
const KEY = 'turnwise-python';

/** What was run, and what came of it. */
interface Result {
  readonly draft: Draft;
  readonly verdict: Verdict;
}

/** A test's verdict, with the test as it was when it was run. */
export interface ShownVerdict {
  readonly verdict: TestVerdict;
  readonly expected: string;
  /** Program, function or test have been changed since. */
  readonly stale: boolean;
}

/**
 * What somebody has written in the Python panel: a draft for each example, each with the last verdict. It outlives the panel, and where the
 * browser allows it a reload of the tab.
 */
export class Workspace {
  chosen: ExampleName = 'right';
  private readonly drafts = new Map<ExampleName, Draft>();
  private readonly results = new Map<ExampleName, Result>();
  private readonly refusals = new Map<ExampleName, Refusal>();
  private ids = 0;

  /** @param storage where drafts are kept beyond a reload; undefined for nowhere */
  constructor(private readonly storage?: Pick<Storage, 'getItem' | 'setItem'>) {
    for (const name of EXAMPLES) this.drafts.set(name, this.drafted(EXERCISES[name]));
    this.restore();
  }

  get draft(): Draft {
    return this.drafts.get(this.chosen) as Draft;
  }

  /** What could not be read when the tests were last asked for, less what was changed since. */
  get refusal(): Refusal | undefined {
    return this.refusals.get(this.chosen);
  }

  get result(): Verdict | undefined {
    return this.results.get(this.chosen)?.verdict;
  }

  /** Whether the result is of what stands here now. */
  get current(): boolean {
    const ran = this.results.get(this.chosen)?.draft;
    const same = (test: TestDraft, i: number) => sameTest(test, ran?.tests[i]);
    const { program, entry, tests } = this.draft;
    return ran?.program === program && ran.entry === entry && ran.tests.length === tests.length && tests.every(same);
  }

  choose(name: ExampleName): void {
    this.chosen = name;
    this.keep();
  }

  change(changes: Partial<Pick<Draft, 'program' | 'entry'>>): void {
    if (changes.entry !== undefined) this.forgive('entry');
    this.put({ ...this.draft, ...changes });
  }

  changeTest(id: number, changes: Partial<Pick<TestDraft, 'args' | 'expected'>>): void {
    for (const field of Object.keys(changes)) this.forgive(`${id}.${field as keyof typeof changes}`);
    const tests = this.draft.tests.map((test) => (test.id === id ? { ...test, ...changes } : test));
    this.put({ ...this.draft, tests });
  }

  /** @returns the new test's id; undefined where there are as many as there may be */
  addTest(): number | undefined {
    const { tests } = this.draft;
    if (tests.length >= MOST_TESTS) return undefined;
    const id = ++this.ids;
    this.put({ ...this.draft, tests: [...tests, { id, args: '', expected: '' }] });
    return id;
  }

  /** The last one stays: without a test there is nothing to run. */
  removeTest(id: number): void {
    const tests = this.draft.tests.filter((test) => test.id !== id);
    if (tests.length === 0) return;
    this.forgive(`${id}.args`, `${id}.expected`);
    this.put({ ...this.draft, tests });
  }

  /** Back to the example as it came. */
  reset(): void {
    this.refusals.delete(this.chosen);
    this.results.delete(this.chosen);
    this.put(this.drafted(EXERCISES[this.chosen]));
  }

  /** The job that the draft is; undefined where a field cannot be read, which is then a refusal. */
  job(): Job | undefined {
    const read = readJob(this.draft);
    if ('job' in read) this.refusals.delete(this.chosen);
    else this.refusals.set(this.chosen, read.refusal);
    return 'job' in read ? read.job : undefined;
  }

  /** @param name the example that was run, whichever is chosen now @param draft what was run */
  settle(name: ExampleName, draft: Draft, verdict: Verdict): void {
    this.results.set(name, { draft, verdict });
  }

  verdictOf({ id }: TestDraft): ShownVerdict | undefined {
    const result = this.results.get(this.chosen);
    const at = result?.draft.tests.findIndex((test) => test.id === id) ?? -1;
    if (!result || at < 0) return undefined;
    const { draft } = this;
    const ran = result.draft.tests[at];
    const now = draft.tests.find((test) => test.id === id);
    const stale = result.draft.program !== draft.program || result.draft.entry !== draft.entry || !sameTest(ran, now);
    return { verdict: result.verdict.tests[at], expected: ran.expected.trim(), stale };
  }

  private put(draft: Draft): void {
    this.drafts.set(this.chosen, draft);
    this.keep();
  }

  private forgive(...fields: readonly (keyof Refusal)[]): void {
    const left = Object.entries(this.refusal ?? {}).filter(([field]) => !fields.includes(field as keyof Refusal));
    if (left.length > 0) this.refusals.set(this.chosen, Object.fromEntries(left));
    else this.refusals.delete(this.chosen);
  }

  private drafted({ program, entry, tests }: Exercise): Draft {
    return { program, entry, tests: tests.map(({ args, expected }) => ({ id: ++this.ids, args, expected })) };
  }

  private keep(): void {
    const drafts = Object.fromEntries(this.drafts);
    try {
      this.storage?.setItem(KEY, JSON.stringify({ chosen: this.chosen, drafts }));
    } catch {
      // No room, or forbidden: the drafts live as long as the page does.
    }
  }

  /** Takes what was kept, draft by draft; what is no draft is left out. */
  private restore(): void {
    try {
      const kept = JSON.parse(this.storage?.getItem(KEY) ?? '{}');
      if (EXAMPLES.includes(kept.chosen)) this.chosen = kept.chosen;
      for (const name of EXAMPLES) {
        const exercise = kept.drafts?.[name];
        if (isExercise(exercise)) this.drafts.set(name, this.drafted(exercise));
      }
    } catch {
      // Unreadable or forbidden: the examples are there.
    }
  }
}

function sameTest(a: TestDraft | undefined, b: TestDraft | undefined): boolean {
  return a?.id === b?.id && a?.args === b?.args && a?.expected === b?.expected;
}

function isExercise(value: unknown): value is Exercise {
  const { program, entry, tests } = (value ?? {}) as Partial<Exercise>;
  const texts = (...all: readonly unknown[]) => all.every((text) => typeof text === 'string');
  const counts = Array.isArray(tests) && tests.length > 0 && tests.length <= MOST_TESTS;
  return counts && texts(program, entry) && tests.every((test) => texts(test?.args, test?.expected));
}
