import type { Span, ToolDetail } from '../../rollouts/turnDetail.ts';
import type { Action } from './actions.ts';
import { APP, FUNCTIONS } from './families.ts';
import type { Issue, RepoProblem } from './problem.ts';
import type { CallValue, RepoFile } from './repository.ts';
import type { Failure, TestReport } from './testing.ts';

// Episodes as people read them: calls, files with the tokens that matter marked, and tests with their numbers.

/** "Bug: top returns too high a value". */
export function issueText({ name, symptom }: Issue): string {
  const fault = symptom === 'crash' ? 'crashes' : `returns too ${symptom} a value`;
  return `Bug: ${name} ${fault}`;
}

/** A tool call as one would write it. */
function callText({ tool, args }: Action): string {
  if (tool === 'malformed') return args.map(tokenText).join(' ');
  if (tool === 'view' && args[1] === 'full') return `view("${args[0]}")`;
  return `${tool}(${args.map((argument) => `"${tokenText(argument)}"`).join(', ')})`;
}

/** A token of code without the marks that represent spaces. */
export function tokenText(token: string): string {
  return token.replaceAll('_', ' ');
}

/** A call and its result. */
export function toolDetail(action: Action, answer: readonly (readonly Span[])[]): ToolDetail {
  return { call: callText(action), answer };
}

/** Lines without marks. */
export function plain(...lines: readonly string[]): readonly (readonly Span[])[] {
  return lines.map((text) => [{ text }]);
}

/**
 * A file as a person would write it. Tokens that differ from the right file are marked `wrong`, those that are right
 * and were not so at first `changed`.
 * @param only the one statement to show
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

/** Python with the spaces that people put; marks stay where they were. */
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
 * Separator between two lexemes.
 * @param before the one before `last`
 */
function spaceBetween(before: string, last: string, next: string): '' | ' ' {
  if (last === '' || '([:'.includes(last) || ')],:'.includes(next)) return '';
  if ('(['.includes(next)) return endsValue(last) ? '' : ' ';
  // A minus with nothing before it to subtract from.
  if (last === '-' && !endsValue(before)) return '';
  return ' ';
}

function endsValue(lexeme: string): boolean {
  return /^[\w)\]]/.test(lexeme) && !KEYWORDS.includes(lexeme);
}

/** "top([1, 2], 3) gives 5, wanted 2". */
export function failureText({ test: { name, x, k, expected }, got }: Failure): string {
  return `${name}([${x.join(', ')}], ${k}) ${got === 'crash' ? 'crashes' : `gives ${got}`}, wanted ${expected}`;
}

export function valueText(value: CallValue): string {
  return value === 'crash' ? 'it crashed' : String(value);
}

/** Result of an episode's last tests. */
export function finishText({ visible, hidden }: TestReport): string {
  if (visible) return `a visible test fails: ${failureText(visible)}`;
  return hidden ? `a hidden test fails: ${failureText(hidden)}` : 'all tests pass';
}
