import { pythonStrings } from '../strings/pythonStrings.ts';

/** What is wrong with a token, in words. */
export interface Problem {
  readonly problem: string;
}

/** A float as the sandbox writes it; ints are plain. */
type PythonNumber = number | bigint | { readonly float: number };

const INT = /^(?:0x(?:_?[0-9a-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+|[1-9](?:_?\d)*|0(?:_?0)*)$/i;
const FLOAT = /^(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/i;

/**
 * A numeral of Python, without a sign.
 * @returns the problem, in words, where it is none
 */
export function readNumber(numeral: string): PythonNumber | Problem {
  const texts = pythonStrings.literal;
  const plain = numeral.replaceAll('_', '');
  if (INT.test(numeral)) {
    const int = BigInt(plain);
    return Number.isSafeInteger(Number(int)) ? Number(int) : int;
  }
  if (/j$/i.test(numeral)) return { problem: texts.complex };
  // Digits alone that are no int begin with a zero, which Python refuses.
  if (/^\d+$/.test(plain) || !FLOAT.test(numeral)) return { problem: texts.number(numeral) };
  return { float: Number(plain) };
}

const STRING = /^([a-z]*)("""|'''|"|')([\s\S]*)\2$/i;
const ESCAPE = /\\(?:\r\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g;
const SHORT: Readonly<Record<string, string>> = {
  ...{ '\n': '', '\r\n': '', '\\': '\\', "'": "'", '"': '"', a: '\x07', b: '\b' },
  ...{ f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/**
 * One string literal of Python with its quotes, as the parser has found it.
 * @returns the problem, in words, where it is no text
 */
export function readText(literal: string): string | Problem {
  const texts = pythonStrings.literal;
  const found = STRING.exec(literal);
  if (!found) return { problem: texts.openText };
  const [, prefix, , body] = found;
  if (/b/i.test(prefix)) return { problem: texts.bytes };
  if (/r/i.test(prefix)) return body;
  let problem: string | undefined;
  const text = body.replace(ESCAPE, (written) => {
    const rest = written.slice(1);
    if (SHORT[rest] !== undefined) return SHORT[rest];
    const code = /^[0-7]/.test(rest) ? Number.parseInt(rest, 8) : Number.parseInt(rest.slice(1), 16);
    // Python leaves a backslash alone that begins nothing.
    if (!/^(?:[0-7]|x.|u.|U.)/.test(rest)) {
      if (/^[xuUN]/.test(rest)) problem = texts.escape(written);
      return written;
    }
    // Halves of a character are no text, and there is nothing above 10FFFF.
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      problem = texts.escape(written);
      return '';
    }
    return String.fromCodePoint(code);
  });
  return problem === undefined ? text : { problem };
}
