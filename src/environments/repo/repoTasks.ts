import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Execute, Execution } from '../shared/execution.ts';
import type { Bugs } from './repoSettings.ts';
import {
  type Bug,
  type Call,
  type CallValue,
  callProgram,
  HIDDEN_TESTS,
  type Issue,
  occurrences,
  type ProblemSplit,
  promptTokens,
  type RepoFile,
  type RepoProblem,
  type Repository,
  repositoryKey,
  type Symptom,
  symptom,
  testedFunctions,
  type UnitTest,
  VISIBLE_TESTS,
} from './repository.ts';
import { callValues } from './testing.ts';
import {
  APP,
  APP_FILE,
  APP_SITE,
  appStatements,
  FUNCTIONS,
  HELPER_FILES,
  type Piece,
  TEMPLATES,
} from './vocabulary.ts';

/** Problem before its programs have run, as the seed determines it. */
export interface Draft {
  readonly right: Repository;
  readonly broken: Repository;
  readonly bugs: readonly Bug[];
  /** Calls that `test` runs: VISIBLE_TESTS calls of each function. */
  readonly visible: readonly Call[];
  /** Further calls that `finish` runs: HIDDEN_TESTS calls of each function. */
  readonly hidden: readonly Call[];
  /** True if the issue names `app` when a helper is at fault and `app` fails, too. */
  readonly blamesApp: boolean;
  /** Name of the function that the issue names otherwise. */
  readonly blamed: string;
}

/**
 * Probability that a site of the right repository has any of its options instead of the canonical one. Memory alone
 * therefore does not find a bug.
 */
const UNUSUAL = 0.15;
/** Probability that a bug is in `app.py`. */
const BUG_IN_APP = 0.12;
/** Probability that a problem of the kind `two` has a second bug. */
const SECOND_BUG = 0.7;

interface Site {
  readonly at: number;
  readonly statement: number;
  readonly token: number;
  readonly options: readonly string[];
}

/**
 * Draws a repository with bugs and calls for its tests.
 * @param hard true if the problem can have two bugs
 * @returns undefined if the draw is not usable: the wrong or the right token of a bug also occurs elsewhere in the file
 */
function drawDraft(random: CounterRandom, hard: boolean): Draft | undefined {
  const right = drawRepository(random);
  const sites = right.flatMap(canonicalSites);
  const bugs: Bug[] = [];
  const bugCount = hard && random.next() < SECOND_BUG ? 2 : 1;
  while (bugs.length < bugCount) {
    const inApp = random.next() < BUG_IN_APP;
    const used = bugs.map(({ at }) => at);
    const candidates = sites.filter(({ at }) => (at === 0) === inApp && !used.includes(at));
    if (candidates.length === 0) return undefined;
    const { options, ...site } = pick(random, candidates);
    const [canonical, ...rest] = options;
    const wrong = pick(random, rest);
    // An edit names a token without its position, so the token must be unique in the file.
    if (occurrences(right[site.at], canonical) !== 1 || occurrences(right[site.at], wrong) > 0) return undefined;
    bugs.push({ ...site, right: canonical, wrong });
  }
  const functions = testedFunctions(right);
  const calls = (count: number) =>
    functions.flatMap((name) => Array.from({ length: count }, () => drawCall(random, name)));
  return {
    right,
    broken: withBugs(right, bugs),
    bugs,
    visible: calls(VISIBLE_TESTS),
    hidden: calls(HIDDEN_TESTS),
    blamesApp: random.next() < 0.5,
    blamed: right[pick(random, bugs).at].name,
  };
}

/** Returns the repository with these bugs. */
function withBugs(right: Repository, bugs: readonly Bug[]): Repository {
  return right.map((file, at): RepoFile => {
    const [first, second] = file.statements.map((tokens, statement) =>
      tokens.map((token, index) => {
        const bug = bugs.find(
          (candidate) => candidate.at === at && candidate.statement === statement && candidate.token === index,
        );
        return bug ? bug.wrong : token;
      }),
    );
    return { ...file, statements: [first, second] };
  });
}

function drawRepository(random: CounterRandom): Repository {
  const files = sample(random, HELPER_FILES, 3);
  const names = sample(random, FUNCTIONS, 3);
  const fill = (piece: Piece) => {
    if (typeof piece === 'string') return piece;
    return random.next() >= UNUSUAL ? piece[0] : pick(random, piece);
  };
  const helpers = names.map((name, index): RepoFile => {
    const [first, second] = templateOf(name);
    return { file: files[index], name, statements: [first.map(fill), second.map(fill)] };
  });
  const [first, second] = sample(random, names, 2);
  const app = { file: APP_FILE, name: APP, statements: appStatements(first, second) };
  return [app, ...helpers.sort((a, b) => (a.file < b.file ? -1 : 1))];
}

/** Returns the sites of a file that have their canonical option. Bugs replace only these. */
function canonicalSites({ name, statements }: RepoFile, at: number): Site[] {
  if (name === APP) return [{ at, statement: 1, token: 1, options: APP_SITE }];
  return templateOf(name).flatMap((pieces, statement) =>
    pieces.flatMap((options, token) =>
      typeof options !== 'string' && statements[statement][token] === options[0]
        ? [{ at, statement, token, options }]
        : [],
    ),
  );
}

function drawCall(random: CounterRandom, name: string): Call {
  const x = Array.from({ length: 2 + random.integer(4) }, () => random.integer(12) - 2);
  return { name, x, k: random.integer(6) };
}

function templateOf(name: string) {
  const template = TEMPLATES.get(name);
  if (!template) throw new RangeError(`there is no family "${name}"`);
  return template;
}

export function pick<Item>(random: CounterRandom, items: readonly Item[]): Item {
  return items[random.integer(items.length)];
}

function sample<Item>(random: CounterRandom, items: readonly Item[], count: number): Item[] {
  return random
    .permutation(items.length)
    .slice(0, count)
    .map((index) => items[index]);
}

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
