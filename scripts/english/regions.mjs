// Splits source files and documents into regions: identifiers, comments, strings and prose.
// The code is a scanner instead of a parser: TypeScript, WGSL, HTML and Python share it, and it must read files with
// syntax errors.

/**
 * A `use` is a name that another file declares: a member after a dot, or an imported name.
 * @typedef {'identifier' | 'use' | 'comment' | 'string' | 'prose'} Kind
 */
/** @typedef {{ kind: Kind, text: string, line: number }} Region `line` is the first line, counted from 1 */

/**
 * Returns the regions of a file, in order. The ending of the path selects the language.
 * @param {string} path
 * @param {string} text
 * @returns {Region[]}
 */
export function regionsOf(path, text) {
  if (path.endsWith('.md')) return markdownRegions(text);
  if (/\.ya?ml$/.test(path)) return text.split('\n').map((row, i) => ({ kind: 'prose', text: row, line: i + 1 }));
  const isPython = path.endsWith('.py');
  const regions = isPython ? pythonRegions(text) : joinComments(scriptRegions(text));
  const imported = namesIn(
    [...text.matchAll(isPython ? PYTHON_IMPORT : SCRIPT_IMPORT)].map(([, names]) => names ?? ''),
  );
  return regions.map((region) =>
    region.kind === 'identifier' && imported.has(region.text) ? { ...region, kind: 'use' } : region,
  );
}

const SCRIPT_IMPORT = /^import\s([^;'"]*?)\sfrom\s/gm;
const PYTHON_IMPORT = /^\s*((?:from\s+\S+\s+)?import\s+(?:\([^)]*\)|[^\n]*))/gm;

/** @param {readonly string[]} texts */
const namesIn = (texts) => new Set(texts.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));

/**
 * Returns true if the name at this position is a member after a dot. Three dots spread a value.
 * @param {string} text
 * @param {number} start
 */
const isMember = (text, start) => /(?<!\.\.)\.\s*$/.test(text.slice(Math.max(0, start - 20), start));

/** @param {string} text */
export const countNewlines = (text) => text.split('\n').length - 1;

/**
 * Returns the prose of a Markdown document, without code and addresses of links.
 * @param {string} text
 * @returns {Region[]}
 */
function markdownRegions(text) {
  /** @type {Region[]} */
  const regions = [];
  let isFenced = false;
  for (const [i, row] of text.split('\n').entries()) {
    if (/^\s*```/.test(row)) isFenced = !isFenced;
    else if (!isFenced && !/^ {4}/.test(row)) {
      const prose = row.replace(/`[^`]*`/g, '`').replace(/\]\([^)]*\)/g, ']');
      regions.push({ kind: 'prose', text: prose, line: i + 1 });
    }
  }
  return regions;
}

const PYTHON =
  /(?<comment>"""[\s\S]*?"""|'''[\s\S]*?'''|#[^\n]*)|(?<string>[rbfuRBFU]{0,2}(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))|(?<identifier>[A-Za-z_]\w*)/g;

/**
 * Returns the regions of a Python module. Every string in triple quotes counts as a comment.
 * @param {string} text
 * @returns {Region[]}
 */
function pythonRegions(text) {
  const lineAt = lineCounter(text);
  return [...text.matchAll(PYTHON)].map(({ groups, index, 0: match }) => {
    const name = isMember(text, index) ? 'use' : 'identifier';
    const kind = groups?.comment !== undefined ? 'comment' : groups?.string !== undefined ? 'string' : name;
    return { kind, text: match, line: lineAt(index) };
  });
}

const SCRIPT =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S])))|('(?:\\[\s\S]|[^'\\\n])*(?:'|\n|$(?![\s\S]))|"(?:\\[\s\S]|[^"\\\n])*(?:"|\n|$(?![\s\S])))|([A-Za-z_$][\w$]*)|(\S)/g;
/** Text of a template up to its end or its next expression. */
const TEMPLATE = /(?:\\[\s\S]|(?!\$\{)[^`\\])*/y;
const REGULAR_EXPRESSION = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/y;
/** A slash after one of these tokens begins a regular expression; after any other token it divides. */
const BEFORE_EXPRESSION = /^$|^[=(,;:!&|?{}[+\->]$|^return$/;
/** Strings that are addresses of modules. */
const ADDRESS = /^(?:[.@/]|node:)/;

/**
 * Returns the regions of TypeScript, JavaScript, WGSL and HTML.
 * @param {string} text
 * @returns {Region[]}
 */
function scriptRegions(text) {
  /** @type {Region[]} */
  const regions = [];
  const lineAt = lineCounter(text);
  /** @type {number[]} for each open `${`, the number of braces that are open inside it */
  const braces = [];
  let token = '';
  let index = 0;
  for (let match = matchAt(SCRIPT, text, 0); match; match = matchAt(SCRIPT, text, index)) {
    const [, comment, string, identifier, mark] = match;
    const start = match.index;
    index = start + match[0].length;
    const line = lineAt(start);
    if (comment !== undefined) regions.push({ kind: 'comment', text: comment, line });
    else if (string !== undefined) {
      if (!ADDRESS.test(string.slice(1))) regions.push({ kind: 'string', text: string.slice(1, -1), line });
      token = 'string';
    } else if (identifier !== undefined) {
      regions.push({ kind: token === '.' && isMember(text, start) ? 'use' : 'identifier', text: identifier, line });
      token = identifier;
    } else if (mark === '`' || (mark === '}' && braces.at(-1) === 0)) {
      if (mark === '}') braces.pop();
      const string = matchAt(TEMPLATE, text, index)?.[0] ?? '';
      regions.push({ kind: 'string', text: string, line });
      index += string.length;
      const isExpression = text.startsWith('${', index);
      if (isExpression) braces.push(0);
      index += isExpression ? 2 : 1;
      token = isExpression ? '{' : 'string';
    } else if (mark === '/' && BEFORE_EXPRESSION.test(token)) {
      index = start + (matchAt(REGULAR_EXPRESSION, text, start)?.[0].length ?? 1);
      token = 'expression';
    } else {
      if (braces.length > 0 && mark === '{') braces[braces.length - 1] += 1;
      if (braces.length > 0 && mark === '}') braces[braces.length - 1] -= 1;
      token = mark ?? '';
    }
  }
  return regions;
}

/** @param {RegExp} pattern global or sticky @param {string} text @param {number} index */
function matchAt(pattern, text, index) {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/**
 * Returns a function from positions to lines, for positions that never decrease.
 * @param {string} text
 */
function lineCounter(text) {
  let line = 1;
  let newline = text.indexOf('\n');
  return (/** @type {number} */ position) => {
    for (; newline >= 0 && newline < position; newline = text.indexOf('\n', newline + 1)) line += 1;
    return line;
  };
}

/**
 * Joins line comments on consecutive lines, so that a phrase is recognized across line ends.
 * @param {readonly Region[]} regions
 */
function joinComments(regions) {
  /** @type {Region[]} */
  const joined = [];
  for (const region of regions) {
    const last = joined.at(-1);
    if (last && isLineComment(last) && isLineComment(region)) {
      const next = last.line + countNewlines(last.text) + 1;
      if (region.line === next) {
        last.text += `\n${region.text}`;
        continue;
      }
    }
    joined.push(region);
  }
  return joined;
}

/** @param {Region} region */
const isLineComment = ({ kind, text }) => kind === 'comment' && text.startsWith('//');
