import { parser } from '@lezer/python';
import { JobError, readExpected, readValue } from '../../sandbox/jobs.ts';
import { type Json, JsonError, parseJson } from '../../sandbox/json.ts';
import type { Expected, Value } from '../../sandbox/types.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import { checkHashable, distinct } from './hashable.ts';
import { type Problem, readNumber, readText } from './pythonTokens.ts';

/** Text that is no value; the message says what is wrong and where, for the person who typed it. */
export class LiteralError extends Error {}

/** Characters of a field; more is a file and not a field. */
const LONGEST = 10_000;
const DEPTH = 100;

/** A node of the parser's tree: a value, a bracket, a comma. */
type Node = ReturnType<typeof parser.parse>['topNode'];

/**
 * Reads what stands between the brackets of a call, `20, (1, 2)`; nothing at all is no argument. JSON is read as `turnwise exec`
 * reads it, everything else as Python's literals.
 * @throws {LiteralError}
 */
export function readArguments(source: string): readonly Value[] {
  const text = inBrackets(source);
  const values = parsedJson(text)
    ? ofJob(() => readValue(text, 'arguments') as readonly Value[])
    : elements(text).map((node) => convert<Value>(node, text, (items) => items));
  for (const value of values) {
    checkHashable(value, (problem) => {
      throw new LiteralError(pythonStrings.literal.whole(problem));
    });
  }
  return values;
}

/**
 * Reads an expected value. As in files of jobs, `[1, 2]` is met by a list and by a tuple, `(1, 2)` by a tuple alone.
 * @throws {LiteralError}
 */
export function readExpectation(source: string): Expected {
  const text = inBrackets(source);
  const json = parsedJson(text);
  const nodes = json ?? elements(text);
  const texts = pythonStrings.literal;
  if (nodes.length === 0) throw new LiteralError(texts.whole(texts.missing));
  if (nodes.length > 1) throw new LiteralError(texts.whole(texts.several));
  if (json) return ofJob(() => readExpected(source));
  return convert<Expected>(nodes[0] as Node, text, (items) => ({ sequence: items }));
}

/** A field is the inside of a list, so that one reading serves for none, one and several values. */
function inBrackets(source: string): string {
  const texts = pythonStrings.literal;
  if (source.length > LONGEST) throw new LiteralError(texts.whole(texts.long(LONGEST)));
  return `[${source}]`;
}

/** The elements where the text is JSON. */
function parsedJson(text: string): readonly Json[] | undefined {
  try {
    return parseJson(text) as readonly Json[];
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function ofJob<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JobError) throw new LiteralError(`${error.message}.`);
    throw error;
  }
}

/** The values of a list of Python. */
function elements(text: string): readonly Node[] {
  const texts = pythonStrings.literal;
  const top = parser.parse(text).topNode;
  checkSyntax(top, text);
  const list = top.firstChild?.firstChild;
  if (list?.name !== 'ArrayExpression') throw new LiteralError(texts.whole(texts.noValue));
  // The field's own bracket has closed ours: 1], [2
  if (list.to < text.length) throw failure(texts.unexpected(']'), list.to - 1);
  return parts(list);
}

/** @throws {LiteralError} for the first thing that the parser could make no sense of */
function checkSyntax(top: Node, text: string): void {
  const texts = pythonStrings.literal;
  if (top.firstChild?.name === 'AssignStatement') throw failure(texts.keyword, text.indexOf('='));
  for (const cursor = top.cursor(); cursor.next(); ) {
    if (!cursor.type.isError) continue;
    const { parent } = cursor.node;
    if (parent?.name === 'String') throw failure(texts.openText, parent.from);
    // Python allows 1. and the parser does not.
    const point = /\d+\.$/.exec(text.slice(0, cursor.from).trimEnd());
    if (point) throw failure(texts.point, point.index);
    // The parser marks what it skips, or the empty place before what it did not want.
    const rest = text.slice(cursor.from);
    const place = cursor.from + rest.search(/\S|$/);
    if (place >= text.length - 1) throw failure(texts.early, text.length - 1);
    throw failure(texts.unexpected(text.slice(place, Math.max(cursor.to, place + 1))), place);
  }
}

/** Places count the characters of a field from 1; the bracket before the field makes them so. */
function failure(problem: string, place: number): LiteralError {
  return new LiteralError(pythonStrings.literal.at(problem, Math.max(1, place)));
}

/** What stands inside brackets, without them and without commas. */
function parts(node: Node): readonly Node[] {
  const inside: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (!/^[[\](){},]$/.test(child.name) && child.name !== 'Comment') inside.push(child);
  }
  return inside;
}

type Built<T> = Value | { tuple: readonly T[] } | { set: readonly T[] } | { dict: readonly (readonly [T, T])[] };

/** JSON's words for what Python calls True, False and None, and how Python prints floats that have no numeral. */
const WORDS: Readonly<Record<string, Value>> = {
  ...{ true: true, false: false, null: null },
  ...{ inf: { float: Number.POSITIVE_INFINITY }, nan: { float: Number.NaN } },
};

/** What job files write in JSON for what JSON cannot say. */
const NOTATION = ['$tuple', '$set', '$dict', '$int', '$float'];

/** A value of the parser's tree. Arguments and expectations differ in what a list means. */
function convert<T extends Value | Expected>(node: Node, text: string, list: (items: readonly T[]) => T, depth = 1): T {
  const texts = pythonStrings.literal;
  const fail = (problem: string): never => {
    throw failure(problem, node.from);
  };
  if (depth > DEPTH) fail(texts.deep);
  const source = text.slice(node.from, node.to);
  const made = (built: Built<T>) => built as T;
  const sound = <S>(read: S): Exclude<S, Problem> =>
    typeof read === 'object' && read !== null && 'problem' in read
      ? fail((read as Problem).problem)
      : (read as Exclude<S, Problem>);
  const all = (nodes: readonly Node[]) => nodes.map((part) => convert(part, text, list, depth + 1));
  switch (node.name) {
    case 'None':
      return made(null);
    case 'Boolean':
      return made(source === 'True');
    case 'Number':
      return made(sound(readNumber(source)));
    case 'String':
      return made(sound(readText(source)));
    case 'ContinuedString':
      return made(all(parts(node)).join(''));
    case 'VariableName':
      return made(Object.hasOwn(WORDS, source) ? WORDS[source] : fail(texts.name(source)));
    case 'UnaryExpression':
      return made(signed(convert(node.lastChild as Node, text, list, depth + 1), source[0]) ?? fail(texts.noValue));
    case 'ParenthesizedExpression':
      return all(parts(node))[0];
    case 'CallExpression':
      return made(called(source) ?? fail(texts.noValue));
    case 'ArrayExpression':
      return list(all(parts(node)));
    case 'TupleExpression':
      return made({ tuple: all(parts(node)) });
    case 'SetExpression':
      return made({ set: distinct(all(parts(node)), fail) });
    case 'DictionaryExpression': {
      const inside = parts(node);
      const pairs = inside.flatMap((colon, i) => (colon.name === ':' ? [[inside[i - 1], inside[i + 1]]] : []));
      if (inside.length !== 3 * pairs.length) fail(texts.noValue);
      const values = pairs.map(([key, value]) => [...all([key]), ...all([value])] as [T, T]);
      const keys = values.map(([key]) => key);
      const [only] = keys;
      if (keys.length === 1 && NOTATION.includes(String(only))) fail(texts.notation(String(only)));
      distinct(keys, fail);
      return made({ dict: values });
    }
    default:
      return fail(texts.noValue);
  }
}

/** Numbers have signs. */
function signed(value: unknown, sign: string): Value | undefined {
  const turn = sign === '-';
  if (sign !== '+' && !turn) return undefined;
  if (typeof value === 'number') return turn ? 0 - value : value;
  if (typeof value === 'bigint') return turn ? -value : value;
  const { float } = (value ?? {}) as { readonly float?: number };
  return float === undefined ? undefined : { float: turn ? -float : float };
}

/** What Python prints as a call because it has no literal. */
function called(source: string): Value | undefined {
  if (/^set\(\s*\)$/.test(source)) return { set: [] };
  const named = /^float\(\s*(["'])([+-]?)(inf|nan)\1\s*\)$/i.exec(source);
  if (!named) return undefined;
  const float = named[3].toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
  return { float: named[2] === '-' ? -float : float };
}
