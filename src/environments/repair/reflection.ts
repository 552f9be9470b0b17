import { MAX_EDITS } from './repairSettings.ts';
import { EDIT_KINDS, isCode, PROGRAM, spell, tokenNumber } from './vocabulary.ts';

// Reflections similar to those of Reflexion (Shinn et al. 2023, "Reflexion: Language Agents with Verbal Reinforcement
// Learning", arXiv 2303.11366). Before the policy repairs a failed program, it announces the changes. The changes are a
// few edits, each of one line of the program. `condition 3 >=` inserts `>=` into line 3, and `operator 4 drop` removes
// an operator from line 4.

type EditKind = (typeof EDIT_KINDS)[number];

/** Change of one line. */
interface Edit {
  readonly kind: EditKind;
  /** Line of the displayed program that is changed. The body begins in line 2. */
  readonly line: number;
  /** First inserted token; undefined if the edit only removes tokens. */
  readonly token: number | undefined;
}

/** Content of a reflection. */
export interface Reflection {
  /** Announced edits, at most MAX_EDITS; empty if the program stays the same. */
  readonly edits: readonly Edit[];
  /** True if there are more edits than announced. */
  readonly more: boolean;
}

const [DROP, SAME, MORE] = ['drop', 'same', 'more'].map(tokenNumber);
const KINDS = EDIT_KINDS.map(tokenNumber);
const BLOCKS = ['NL', 'IND', 'DED'].map(tokenNumber);
/** Token of 0. The tokens of the following integers are consecutive. */
const ZERO = tokenNumber('0');
const FIRST_LINE = 2;
const MAX_LINES = 20;

const OF_KIND: readonly (readonly [EditKind, readonly string[]])[] = [
  ['condition', ['==', '!=', '<', '<=', '>', '>=', 'in', 'not', 'and', 'or']],
  ['operator', ['+', '-', '*', '//', '%', '=', '+=', '-=', '*=', '//=']],
  ['variable', ['a', 'b', 'k', 'n', 's', 't', 'x', 'y', 'i', 'm']],
  ['call', ['len', 'sum', 'max', 'min', 'abs', 'range', 'sorted', 'set', 'zip', '.append', '.count', 'list']],
  ['constant', ['True', 'False', 'None']],
];
const KIND_OF: ReadonlyMap<string, EditKind> = new Map(
  OF_KIND.flatMap(([kind, names]) => names.map((name) => [name, kind] as const)),
);

function kindOf(token: number): EditKind {
  const name = spell([token]);
  return KIND_OF.get(name) ?? (/^[\d"]/.test(name) ? 'constant' : 'structure');
}

/**
 * Returns the edits that convert one program to another. Each edit has the first tokens of a line in which the programs
 * differ. If lines are inserted or removed, one edit covers everything between the shared lines.
 */
export function changeBetween(before: readonly number[], after: readonly number[]): Reflection {
  const [old, next] = [linesOf(before), linesOf(after)];
  const same = (a: readonly number[], b: readonly number[]) => a.join() === b.join();
  const least = Math.min(old.length, next.length);
  let head = 0;
  while (head < least && same(old[head], next[head])) head++;
  let tail = 0;
  while (tail < least - head && same(old[old.length - 1 - tail], next[next.length - 1 - tail])) tail++;
  const [oldLines, newLines] = [old.slice(head, old.length - tail), next.slice(head, next.length - tail)];
  const edits =
    oldLines.length === newLines.length
      ? oldLines.flatMap((line, at) => (same(line, newLines[at]) ? [] : [editOf(line, newLines[at], head + at)]))
      : [{ ...editOf(oldLines.flat(), newLines.flat(), head), kind: 'structure' as const }];
  return { edits: edits.slice(0, MAX_EDITS), more: edits.length > MAX_EDITS };
}

/** Returns the lines of a program. Each includes the tokens before it: `NL`, or the begin or end of blocks. */
function linesOf(program: readonly number[]): readonly (readonly number[])[] {
  const lines: number[][] = [];
  let before = true;
  for (const token of program) {
    const opens = BLOCKS.includes(token);
    if (lines.length === 0 || (opens && !before)) lines.push([]);
    lines[lines.length - 1].push(token);
    before = opens;
  }
  return lines;
}

/**
 * Returns the edit of a line.
 * @param line index of the line in the body, from 0
 */
function editOf(old: readonly number[], next: readonly number[], line: number): Edit {
  const least = Math.min(old.length, next.length);
  let head = 0;
  while (head < least && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < least - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
  const token = head < next.length - tail ? next[head] : undefined;
  return { kind: kindOf(token ?? old[head]), line: Math.min(line + FIRST_LINE, MAX_LINES), token };
}

/** Returns the tokens of a reflection, without the following `<program>`. */
export function reflectionTokens({ edits, more }: Reflection): readonly number[] {
  if (edits.length === 0) return [SAME];
  const named = edits.flatMap(({ kind, line, token = DROP }) => [tokenNumber(kind), ZERO + line, token]);
  return more ? [...named, MORE] : named;
}

/** Parses a reflection; undefined if the tokens are not a reflection. */
export function readReflection(tokens: readonly number[]): Reflection | undefined {
  if (tokens.length === 1 && tokens[0] === SAME) return { edits: [], more: false };
  const more = tokens[tokens.length - 1] === MORE;
  const named = more ? tokens.slice(0, -1) : tokens;
  if (named.length === 0 || named.length % 3 !== 0) return undefined;
  const edits = Array.from({ length: named.length / 3 }, (_, at) => {
    const [kind, line, token] = named.slice(3 * at, 3 * at + 3);
    const fits =
      KINDS.includes(kind) &&
      line >= ZERO + FIRST_LINE &&
      line <= ZERO + MAX_LINES &&
      (token === DROP || isCode(token));
    return fits
      ? { kind: EDIT_KINDS[KINDS.indexOf(kind)], line: line - ZERO, token: token === DROP ? undefined : token }
      : undefined;
  });
  return edits.every((edit) => edit !== undefined) ? { edits, more } : undefined;
}

/** Splits the tokens of a turn. A reflection ends at `<program>`; without this token there is no reflection. */
export function readTurn(written: readonly number[]): {
  readonly reflection?: readonly number[];
  readonly program: readonly number[];
} {
  const at = written.indexOf(PROGRAM);
  return at < 0 ? { program: written } : { reflection: written.slice(0, at), program: written.slice(at + 1) };
}

/** Comparison of a program with the announced changes. */
export interface ReflectionMatch {
  /** True if the reflection can be parsed. */
  readonly readable: boolean;
  /** True if the program makes exactly the announced changes. */
  readonly followed: boolean;
  /** Number of announced edits. `editShare` is the number of those that the program makes. */
  readonly announced: number;
  readonly editShare: number;
}

/**
 * Compares a reflection with the changes of the program.
 * @param before the failed program
 * @param after the program that follows the reflection
 */
export function matchReflection(
  before: readonly number[],
  reflection: readonly number[],
  after: readonly number[],
): ReflectionMatch {
  const parsed = readReflection(reflection);
  if (!parsed) return { readable: false, followed: false, announced: 0, editShare: 0 };
  const done = changeBetween(before, after);
  const all = done.edits.map(editKey);
  return {
    readable: true,
    followed: reflectionTokens(parsed).join() === reflectionTokens(done).join(),
    announced: parsed.edits.length,
    editShare: parsed.edits.filter((edit) => all.includes(editKey(edit))).length,
  };
}

const editKey = ({ kind, line, token }: Edit) => `${kind} ${line} ${token}`;

/**
 * Formats a reflection for users: "condition in line 3: inserted >=". A text that is not a reflection is shown token by
 * token.
 */
export function reflectionText(tokens: readonly number[]): string {
  const parsed = readReflection(tokens);
  if (!parsed) return tokens.length === 0 ? 'nothing' : `not readable: ${spell(tokens)}`;
  if (parsed.edits.length === 0) return 'the same program again';
  const named = parsed.edits.map(
    ({ kind, line, token }) =>
      `${kind} in line ${line}: ${token === undefined ? 'removed' : `inserted ${spell([token])}`}`,
  );
  return [...named, ...(parsed.more ? ['and more'] : [])].join('; ');
}
