/** JSON as Python reads it: ints of any size, and distinct floats. In maps, keys like `__proto__` are not special. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | { readonly float: number }
  | readonly Json[]
  | ReadonlyMap<string, Json>;

/** Syntax error in JSON. The message contains the position. */
export class JsonError extends Error {}

const DEPTH = 100;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/** Parses JSON. Numbers with a fraction or an exponent are floats. @throws {JsonError} */
export function parseJson(source: string): Json {
  let at = 0;
  const fail = (message: string): never => {
    throw new JsonError(`${message} at character ${at + 1}`);
  };
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const result = pattern.exec(source);
    if (result) at = pattern.lastIndex;
    return result;
  };
  const token = (character: string) => {
    match(SPACE);
    if (source[at] !== character) return false;
    at++;
    return true;
  };
  const string = () => JSON.parse((match(TEXT) ?? fail('a string was expected'))[0]) as string;
  const literal = <T>(text: string, value: T): T => {
    if (!source.startsWith(text, at)) fail('a value was expected');
    at += text.length;
    return value;
  };
  const value = (depth: number): Json => {
    if (depth > DEPTH) fail('nested too deep');
    match(SPACE);
    switch (source[at]) {
      case '{': {
        at++;
        const fields = new Map<string, Json>();
        if (token('}')) return fields;
        do {
          match(SPACE);
          const name = string();
          if (fields.has(name)) fail(`"${name}" occurs twice`);
          if (!token(':')) fail('":" was expected');
          fields.set(name, value(depth + 1));
        } while (token(','));
        if (!token('}')) fail('"," or "}" was expected');
        return fields;
      }
      case '[': {
        at++;
        const items: Json[] = [];
        if (token(']')) return items;
        do items.push(value(depth + 1));
        while (token(','));
        if (!token(']')) fail('"," or "]" was expected');
        return items;
      }
      case '"':
        return string();
      case 't':
        return literal('true', true);
      case 'f':
        return literal('false', false);
      case 'n':
        return literal('null', null);
      default:
        return number();
    }
  };
  const number = (): Json => {
    const result = match(NUMBER) ?? fail('a value was expected');
    if (result[1] !== undefined || result[2] !== undefined) return { float: Number(result[0]) };
    const plain = Number(result[0]);
    return Number.isSafeInteger(plain) ? plain + 0 : BigInt(result[0]);
  };
  const parsed = value(0);
  match(SPACE);
  if (at < source.length) fail('something follows the value');
  return parsed;
}
