import { isCode, isToken, SIGNATURES, type Signature, tokenNumber, VERIFYING_VOCABULARY } from './vocabulary.ts';

/** Conversion between Python text and the tokens of the policy. */

const LEXEME = /"[a-zA-Z]*"|\.[a-z]+|[A-Za-z_]+|\d+|\/\/=|==|!=|<=|>=|\+=|-=|\*=|\/\/|[-=<>+*%()[\],:]/g;
const INDENT = '    ';

/**
 * Returns the tokens of a function's body. Blocks become NL, IND and DED.
 * @param source lines with an indentation of four spaces per level; the outermost level has none
 * @throws {RangeError} for a word that is not a token
 */
export function tokenize(source: string): number[] {
  const tokens: string[] = [];
  let level = 0;
  for (const [index, line] of source
    .split('\n')
    .filter((text) => text.trim() !== '')
    .entries()) {
    const body = line.trim();
    const indent = Math.round((line.length - line.trimStart().length) / INDENT.length);
    if (indent < level) tokens.push(...new Array(level - indent).fill('DED'));
    else if (index > 0 && tokens[tokens.length - 1] !== 'IND') tokens.push('NL');
    level = indent;
    const block = body.endsWith(':');
    tokens.push(...((block ? body.slice(0, -1) : body).match(LEXEME) ?? []));
    if (block) {
      tokens.push('IND');
      level++;
    }
  }
  return tokens.map(tokenNumber);
}

/** Returns the first piece of a source that has no token; undefined if every piece has a token. */
export function unknownText(source: string): string | undefined {
  const remainder = source
    .replace(LEXEME, (lexeme) => (isToken(lexeme) && isCode(tokenNumber(lexeme)) ? ' ' : lexeme))
    .trim();
  return remainder === '' ? undefined : remainder.split(/\s+/)[0];
}

/** Formats the function of the tokens as Python text. Any tokens result in a text, which can be invalid Python. */
export function programText(tokens: readonly number[], signature: Signature, entry: string): string {
  return `def ${entry}(${SIGNATURES[signature].join(', ')}):\n${bodyText(tokens, 1)}\n`;
}

/**
 * Formats the body of a function.
 * @param level indentation of its outermost lines
 */
export function bodyText(tokens: readonly number[], level = 0): string {
  const lines: string[] = [];
  const outermost = level;
  let line: string[] = [];
  const end = (suffix = '') => {
    if (line.length > 0 || suffix) lines.push(INDENT.repeat(level) + lineText(line) + suffix);
    line = [];
  };
  for (const token of tokens) {
    const name = VERIFYING_VOCABULARY.names[token];
    if (name === 'NL') end();
    else if (name === 'IND') {
      end(':');
      level++;
    } else if (name === 'DED') {
      end();
      level = Math.max(outermost, level - 1);
    } else line.push(name);
  }
  end();
  return lines.join('\n');
}

const isIdentifier = (token: string) => /^[A-Za-z0-9_]+$/.test(token);
const isOperand = (token: string) => isIdentifier(token) || token.startsWith('"') || token === '(' || token === '[';
const KEYWORDS = new Set(['for', 'in', 'if', 'else', 'while', 'return', 'not', 'and', 'or']);

/** Formats one line with the usual spaces. Adjacent tokens that would merge into another token stay separate. */
function lineText(tokens: readonly string[]): string {
  let text = '';
  const brackets: ('index' | 'other')[] = [];
  let [before, last] = ['', ''];
  for (const token of tokens) {
    const called = last !== '' && (endsOperand(last) || last.startsWith('.'));
    const tight =
      last === '' ||
      token.startsWith('.') ||
      token === ',' ||
      (token === ')' && last !== '') ||
      (token === ']' && last !== '') ||
      ((token === '(' || token === '[') && called) ||
      (/^[([]$/.test(last) && isOperandOrMinus(token)) ||
      (isUnaryMinus(before, last) && isOperand(token)) ||
      (brackets[brackets.length - 1] === 'index' && (token === ':' || (last === ':' && isOperandOrMinus(token))));
    text += (tight ? '' : ' ') + token;
    if (token === '(' || token === '[') brackets.push(token === '[' && called ? 'index' : 'other');
    if (token === ')' || token === ']') brackets.pop();
    [before, last] = [last, token];
  }
  return text;
}

function isOperandOrMinus(token: string): boolean {
  return isOperand(token) || token === '-' || token === ':';
}

/** Returns true if a value can end at this token. A bracket after it is then a call or an index. */
function endsOperand(token: string): boolean {
  return (isIdentifier(token) && !KEYWORDS.has(token)) || token.startsWith('"') || token === ')' || token === ']';
}

/** Returns true for a minus without a left operand. */
function isUnaryMinus(before: string, last: string): boolean {
  return last === '-' && !endsOperand(before);
}
