import { isCode, isToken, SIGNATURES, type Signature, tokenNumber, VERIFYING_VOCABULARY } from './vocabulary.ts';

/** Between Python as people write it and the tokens that the policy writes. */

const LEXEME = /"[a-zA-Z]*"|\.[a-z]+|[A-Za-z_]+|\d+|\/\/=|==|!=|<=|>=|\+=|-=|\*=|\/\/|[-=<>+*%()[\],:]/g;
const INDENT = '    ';

/**
 * Tokens of a function's body, blocks as NL, IND and DED.
 * @param source lines indented by four spaces a level, the outermost not at all
 * @throws {RangeError} for a word that is no token
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

/** The first piece of a source that has no token; undefined if every piece has a token. */
export function unknownText(source: string): string | undefined {
  const remainder = source
    .replace(LEXEME, (lexeme) => (isToken(lexeme) && isCode(tokenNumber(lexeme)) ? ' ' : lexeme))
    .trim();
  return remainder === '' ? undefined : remainder.split(/\s+/)[0];
}

/** The function that tokens write, as a person would write it. Any tokens give a text; it need not be Python. */
export function programText(tokens: readonly number[], signature: Signature, entry: string): string {
  return `def ${entry}(${SIGNATURES[signature].join(', ')}):\n${bodyText(tokens, 1)}\n`;
}

/** A function's body. @param level indentation of its outermost lines */
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

/** One line with the spaces that people put. Tokens that would melt into another one stay apart. */
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

/** True if a value can end at this token, so that a bracket after it is a call or an index. */
function endsOperand(token: string): boolean {
  return (isIdentifier(token) && !KEYWORDS.has(token)) || token.startsWith('"') || token === ')' || token === ']';
}

/** True for a minus without a left operand. */
function isUnaryMinus(before: string, last: string): boolean {
  return last === '-' && !endsOperand(before);
}
