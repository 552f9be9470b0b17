import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Execute, Execution } from '../shared/execution.ts';
import { type Draft, drawDraft, withBugs } from './drafts.ts';
import { APP } from './families.ts';
import {
  type Issue,
  type ProblemSplit,
  promptTokens,
  type RepoProblem,
  type Symptom,
  symptom,
  type UnitTest,
} from './problem.ts';
import type { Bugs } from './repoSettings.ts';
import { type Call, type CallValue, callProgram, repositoryKey } from './repository.ts';
import { callValues } from './testing.ts';

/**
 * Shipped data of a problem, which Python computes. The seed determines the rest. The elements are the number of the
 * draw, the name and symptom of the issue, and the names of the helpers. The last element has the expected values of
 * the visible tests, then of the hidden tests.
 */
export type ProblemRecord = readonly [draw: number, issue: string, helpers: string, wants: string];
/** Recorded problems of each kind: TRAINING training problems, then HELD_OUT held-out problems. */
export type ProblemRecords = Readonly<Record<Bugs, readonly ProblemRecord[]>>;

export const TRAINING = 600;
export const HELD_OUT = 128;
/** Loads the shipped problems at the first request. */
export async function loadProblems(bugs: Bugs): Promise<ProblemSplit> {
  const { default: records } = await import('./problems.json');
  return splitOf(readProblems(bugs, (records as unknown as ProblemRecords)[bugs]));
}

/** Creates the problems of another world (setting worldSeed) by running Python. */
export async function drawProblems(execute: Execute, bugs: Bugs, world: number): Promise<ProblemSplit> {
  const seed = WORLD_OFFSET + world;
  return splitOf(readProblems(bugs, await recordProblems(execute, bugs, { seed }), seed));
}

function splitOf(all: readonly RepoProblem[]): ProblemSplit {
  return { training: all.slice(0, TRAINING), heldOut: all.slice(TRAINING) };
}

/** Seed of all draws of the shipped problems. */
const PROBLEM_SEED = 11;
/** Offset of the seeds of other worlds, which keeps them distinct from the seed of the shipped world. */
const WORLD_OFFSET = 1000;
/** Number of draws whose programs run as one batch. */
const BATCH = 128;

/**
 * Returns the problems of the shipped records.
 * @throws {Error} if the records do not match the families; they must then be recorded again
 */
export function readProblems(
  bugs: Bugs,
  records: readonly ProblemRecord[],
  seed = PROBLEM_SEED,
): readonly RepoProblem[] {
  return records.map(([draw, issue, helpers, expected], index) => {
    const id = `${bugs} ${index}`;
    const draft = drawNumbered(bugs, draw, seed);
    const actual = draft && helperNames(draft);
    if (!draft || actual !== helpers) {
      throw new Error(
        `recorded problem "${id}" has ${helpers}, the families give ${actual ?? 'none'}: record them again`,
      );
    }
    const values = expected.split(' ').map(Number);
    if (values.length !== draft.visible.length + draft.hidden.length || !values.every(Number.isInteger)) {
      throw new Error(`recorded problem "${id}" has other tests than the families: record them again`);
    }
    const [name, symptom] = issue.split(' ') as [string, Symptom];
    return problemOf(id, draft, { name, symptom }, values);
  });
}

/**
 * Creates problems by running Python. The right repository passes all tests, and each bug alone fails visible tests.
 * @param progress called with the number of finished problems
 */
export async function recordProblems(
  execute: Execute,
  bugs: Bugs,
  { seed = PROBLEM_SEED, count = TRAINING + HELD_OUT, progress = (_done: number, _all: number) => {} } = {},
): Promise<readonly ProblemRecord[]> {
  const records: ProblemRecord[] = [];
  const visited = new Set<string>();
  for (let first = 0; records.length < count; first += BATCH) {
    const drafts = Array.from({ length: BATCH }, (_, index) => {
      const draft = drawNumbered(bugs, first + index, seed);
      return draft ? [{ draw: first + index, draft, executions: executionsOf(draft) }] : [];
    }).flat();
    const results = await execute(drafts.flatMap(({ executions }) => executions));
    let next = 0;
    for (const { draw, draft, executions } of drafts) {
      const calls = draft.visible.length + draft.hidden.length;
      const values = results.slice(next, next + executions.length).map((result) => callValues(result, calls));
      next += executions.length;
      const key = repositoryKey(draft.broken);
      const issue = issueOf(draft, values);
      if (!issue || visited.has(key) || records.length === count) continue;
      visited.add(key);
      records.push([draw, `${issue.name} ${issue.symptom}`, helperNames(draft), values[0].join(' ')]);
    }
    progress(records.length, count);
  }
  return records;
}

/** Formats the file of records: JSON with one problem per line. */
export function recordsText(records: ProblemRecords): string {
  const kinds = Object.entries(records).map(([bugs, list]) => {
    return `${JSON.stringify(bugs)}: [\n${list.map((record) => JSON.stringify(record)).join(',\n')}\n]`;
  });
  return `{\n${kinds.join(',\n')}\n}\n`;
}

/** Draws the draft with number `draw`; undefined if it is not usable. */
function drawNumbered(bugs: Bugs, draw: number, seed: number): Draft | undefined {
  const random = new CounterRandom(seed, STREAMS.world, draw * 2 + Number(bugs === 'two'));
  return drawDraft(random, bugs === 'two');
}

function helperNames({ right: [, ...helpers] }: Draft): string {
  return helpers.map(({ name }) => name).join(' ');
}

function problemOf(id: string, draft: Draft, issue: Issue, expected: readonly number[]): RepoProblem {
  const { right, broken, bugs, visible, hidden } = draft;
  const tests = (calls: readonly Call[], from: number) =>
    calls.map((call, index) => ({ ...call, expected: expected[from + index] }));
  return {
    id,
    right,
    broken,
    bugs,
    issue,
    visible: tests(visible, 0),
    hidden: tests(hidden, visible.length),
    prompt: promptTokens(right, issue),
  };
}

/**
 * Returns the programs of the right repository, of the repository with all bugs, and of one repository per bug if there
 * are several.
 */
function executionsOf({ right, broken, bugs, visible, hidden }: Draft): Execution[] {
  const isolated = bugs.length > 1 ? bugs.map((bug) => withBugs(right, [bug])) : [];
  return [right, broken, ...isolated].map((repository) => callProgram(repository, [...visible, ...hidden]));
}

/**
 * Returns the issue of a draft. Returns undefined if the draft is not usable: the right repository crashes, or the
 * visible tests of a function with a bug pass.
 * @param values results of the tests, [repositories of executionsOf][tests]
 */
function issueOf(draft: Draft, [expected, broken, ...isolated]: readonly (readonly CallValue[])[]): Issue | undefined {
  if (expected.includes('crash')) return undefined;
  const tests = draft.visible.map((call, index): UnitTest => ({ ...call, expected: expected[index] as number }));
  const failing = visibleSymptoms(tests, broken);
  const faulty = draft.bugs.map(({ at }) => draft.right[at].name);
  if (!faulty.every((name) => failing.has(name))) return undefined;
  if (!isolated.every((values, bug) => visibleSymptoms(tests, values).has(faulty[bug]))) return undefined;
  const app = failing.has(APP) && (faulty.includes(APP) || draft.blamesApp);
  const name = app ? APP : draft.blamed;
  return { name, symptom: failing.get(name) as Symptom };
}

/** Returns the functions whose visible tests fail, each with the symptom of its first failing test. */
function visibleSymptoms(tests: readonly UnitTest[], values: readonly CallValue[]): ReadonlyMap<string, Symptom> {
  const symptoms = new Map<string, Symptom>();
  tests.forEach(({ name, expected }, index) => {
    if (values[index] !== expected && !symptoms.has(name)) symptoms.set(name, symptom(expected, values[index]));
  });
  return symptoms;
}
