import type { CounterRandom } from '../../random/counter.ts';
import { APP, APP_FILE, APP_SITE, appStatements, FUNCTIONS, HELPER_FILES, type Piece, TEMPLATES } from './families.ts';
import { type Bug, HIDDEN_TESTS, testedFunctions, VISIBLE_TESTS } from './problem.ts';
import { type Call, occurrences, type RepoFile, type Repository } from './repository.ts';

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
export function drawDraft(random: CounterRandom, hard: boolean): Draft | undefined {
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
export function withBugs(right: Repository, bugs: readonly Bug[]): Repository {
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
