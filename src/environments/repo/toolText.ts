import type { Span, ToolDetail } from '../../rollouts/rolloutBatch.ts';
import type { Action } from './actions.ts';
import { APP, FUNCTIONS } from './families.ts';
import type { Issue, RepoProblem } from './problem.ts';
import type { CallValue, RepoFile } from './repository.ts';
import type { Failure, TestReport } from './testing.ts';

// Episodes as text for users: calls, files with marked tokens, and tests with their values.

/** Formats an issue: "Bug: top returns too high a value". */
export function issueText({ name, symptom }: Issue): string {
  const fault = symptom === 'crash' ? 'crashes' : `returns too ${symptom} a value`;
  return `Bug: ${name} ${fault}`;
}

/** Formats a tool call as code. */
function callText({ tool, args }: Action): string {
  if (tool === 'malformed') return args.map(tokenText).join(' ');
  if (tool === 'view' && args[1] === 'full') return `view("${args[0]}")`;
  return `${tool}(${args.map((argument) => `"${tokenText(argument)}"`).join(', ')})`;
}

/** Formats a token of code, with spaces in place of `_`. */
export function tokenText(token: string): string {
  return token.replaceAll('_', ' ');
}

/** Returns a call with its result. */
export function toolDetail(action: Action, answer: readonly (readonly Span[])[]): ToolDetail {
  return { call: callText(action), answer };
}

/** Returns lines without marks. */
export function plain(...lines: readonly string[]): readonly (readonly Span[])[] {
  return lines.map((text) => [{ text }]);
}

/**
 * Formats a file as Python. Tokens that differ from the right file have the mark `wrong`. Right tokens that were wrong
 * at first have the mark `changed`.
 * @param only index of the only statement to show
 */
export function fileLines(
  problem: Pick<RepoProblem, 'right' | 'broken'>,
  file: RepoFile,
  only?: number,
): readonly (readonly Span[])[] {
  const same = ({ file: name }: RepoFile) => name === file.file;
  const [right, broken] = [problem.right.find(same), problem.broken.find(same)];
  const lines = file.statements.map((tokens, statement) => {
    const marked = tokens.map((token, index): Span => {
      const [expected, first] = [right, broken].map((version) => version?.statements[statement][index]);
      const text = tokenText(file.name === APP && FUNCTIONS.includes(token) ? `${token}(x,k)` : token);
      if (token !== expected) return { text, mark: 'wrong' };
      return token === first ? { text } : { text, mark: 'changed' };
    });
    return [{ text: '    ' }, ...format(marked)];
  });
  if (only !== undefined) return [lines[only]];
  return [[{ text: `def ${file.name}(x, k):` }], ...lines];
}

const KEYWORDS = ['return', 'for', 'in', 'if', 'or'];

/** Formats Python with the usual spaces. The marks remain at their tokens. */
function format(spans: readonly Span[]): readonly Span[] {
  const lexemes = spans.flatMap(({ text, mark }) =>
    (text.match(/\w+|\/\/|[=<>]=|[^\s\w]/g) ?? []).map((lexeme) => ({ lexeme, mark })),
  );
  const line: { text: string; mark: Span['mark'] }[] = [];
  let [before, last] = ['', ''];
  for (const { lexeme, mark } of lexemes) {
    const text = spaceBetween(before, last, lexeme) + lexeme;
    const end = line.at(-1);
    if (end && end.mark === mark) end.text += text;
    else if (mark && text.startsWith(' ')) line.push({ text: ' ', mark: undefined }, { text: lexeme, mark });
    else line.push({ text, mark });
    [before, last] = [last, lexeme];
  }
  return line.map(({ text, mark }) => (mark ? { text, mark } : { text }));
}

/**
 * Returns the separator between two lexemes.
 * @param before lexeme before `last`
 */
function spaceBetween(before: string, last: string, next: string): '' | ' ' {
  if (last === '' || '([:'.includes(last) || ')],:'.includes(next)) return '';
  if ('(['.includes(next)) return endsValue(last) ? '' : ' ';
  // The minus has no left operand.
  if (last === '-' && !endsValue(before)) return '';
  return ' ';
}

function endsValue(lexeme: string): boolean {
  return /^[\w)\]]/.test(lexeme) && !KEYWORDS.includes(lexeme);
}

/** Formats a failing test: "top([1, 2], 3) gives 5, wanted 2". */
export function failureText({ test: { name, x, k, expected }, got }: Failure): string {
  return `${name}([${x.join(', ')}], ${k}) ${got === 'crash' ? 'crashes' : `gives ${got}`}, wanted ${expected}`;
}

export function valueText(value: CallValue): string {
  return value === 'crash' ? 'it crashed' : String(value);
}

/** Returns the result of the tests of `finish` as text. */
export function finishText({ visible, hidden }: TestReport): string {
  if (visible) return `a visible test fails: ${failureText(visible)}`;
  return hidden ? `a hidden test fails: ${failureText(hidden)}` : 'all tests pass';
}
