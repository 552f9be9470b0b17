import type { Span, ToolDetail } from '../../rollouts/rolloutBatch.ts';
import {
  type CallValue,
  type Issue,
  occurrences,
  type RepoFile,
  type RepoProblem,
  type Repository,
  replaceToken,
  withFile,
} from './repository.ts';
import type { Failure, TestReport, TestRunner } from './testing.ts';
import { type Action, APP, APP_FILE, FILES, FUNCTIONS, isEditable, isScope, isSearchable } from './vocabulary.ts';

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
function tokenText(token: string): string {
  return token.replaceAll('_', ' ');
}

/** Returns a call with its result. */
export function toolDetail(action: Action, answer: readonly (readonly Span[])[]): ToolDetail {
  return { call: callText(action), answer };
}

/** Returns lines without marks. */
function plain(...lines: readonly string[]): readonly (readonly Span[])[] {
  return lines.map((text) => [{ text }]);
}

/**
 * Formats a file as Python. Tokens that differ from the right file have the mark `wrong`. Right tokens that were wrong
 * at first have the mark `changed`.
 * @param only index of the only statement to show
 */
function fileLines(
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

function valueText(value: CallValue): string {
  return value === 'crash' ? 'it crashed' : String(value);
}

/** Returns the result of the tests of `finish` as text. */
function finishText({ visible, hidden }: TestReport): string {
  if (visible) return `a visible test fails: ${failureText(visible)}`;
  return hidden ? `a hidden test fails: ${failureText(hidden)}` : 'all tests pass';
}

/** Result of an action, with its description. */
export interface Result {
  readonly valid: boolean;
  /** True if `execute` did not crash and `test` had no failing test. */
  readonly ok: boolean;
  /** Names of the tokens of the reply. */
  readonly observation: readonly string[];
  /** Files that a search returned. */
  readonly hits?: readonly string[];
  /** Report of the tests that `finish` ran. It determines the outcome. */
  readonly report?: TestReport;
  /** Description of the action in one short sentence. */
  readonly summary: string;
  /** Output of the tool as text for users. */
  readonly answer: readonly (readonly Span[])[];
}

/** Files of one episode, and the tools that operate on them. */
export class Workspace {
  constructor(
    private readonly problem: RepoProblem,
    private readonly runner: TestRunner,
    public repository: Repository = problem.broken,
    private readonly created: Set<string> = new Set(),
  ) {}

  copy(): Workspace {
    return new Workspace(this.problem, this.runner, this.repository, new Set(this.created));
  }

  /** Performs an action. */
  async apply({ tool, args }: Action): Promise<Result> {
    switch (tool) {
      case 'view':
        return this.view(args[0], args[1]);
      case 'search':
        return this.search(args[0]);
      case 'modify':
        return this.modify(args[0], args[1], args[2]);
      case 'create':
        return this.create(args[0]);
      case 'execute':
        return this.execute(args[0]);
      case 'test':
        return this.test();
      case 'think':
        return { valid: true, ok: true, observation: [], summary: 'thought', answer: [] };
      case 'finish':
        return this.finish();
      default:
        return invalid('wrote no tool call');
    }
  }

  private find(file: string) {
    return this.repository.find((candidate) => candidate.file === file);
  }

  private view(name: string, scope: string): Result {
    const file = this.find(name);
    if (!file) return invalid(`viewed ${name}, which is not there`);
    if (!isScope(scope)) return invalid(`viewed "${tokenText(scope)}" of ${name}`);
    const [first, second] = file.statements;
    const part = scope === 'full' ? undefined : Number(scope.slice(1)) - 1;
    const observation = part === undefined ? [file.name, ...first, '|', ...second] : file.statements[part];
    const prefix = part === undefined ? '' : `statement ${part + 1} of `;
    return done(`viewed ${prefix}${name}`, observation, fileLines(this.problem, file, part));
  }

  private search(term: string): Result {
    if (!isSearchable(term)) return invalid(`searched for "${tokenText(term)}"`);
    const hits = this.repository
      .filter((file) => file.name === term || occurrences(file, term) > 0)
      .map(({ file }) => file);
    const matches = hits.length > 0 ? hits.join(', ') : 'nothing';
    const observation = hits.length > 0 ? hits : ['none'];
    return { ...done(`searched for ${tokenText(term)}: ${matches}`, observation, plain(matches)), hits };
  }

  private modify(name: string, old: string, replacement: string): Result {
    const file = this.find(name);
    const change = `${tokenText(old)} to ${tokenText(replacement)} in ${name}`;
    if (!file) return invalid(`changed ${change}, which is not there`);
    const times = occurrences(file, old);
    if (times !== 1) return invalid(`changed ${change}, where it occurs ${times === 0 ? 'nowhere' : `${times} times`}`);
    if (!isEditable(replacement)) return invalid(`changed ${change}, which is no code`);
    if (old === replacement) return invalid(`changed ${change}`);
    const changed = replaceToken(file, old, replacement);
    this.repository = withFile(this.repository, changed);
    return done(`changed ${change}`, ['ok'], fileLines(this.problem, changed));
  }

  private create(name: string): Result {
    if (!FILES.includes(name)) return invalid(`created "${tokenText(name)}"`);
    if (this.find(name) || this.created.has(name)) return invalid(`created ${name}, which is there`);
    this.created.add(name);
    return done(`created ${name}`, ['ok'], plain('ok'));
  }

  private async execute(name: string): Promise<Result> {
    if (name !== APP_FILE) {
      if (!this.find(name) && !this.created.has(name)) return invalid(`ran ${tokenText(name)}, which is not there`);
      return done(`ran ${name}`, ['ok'], plain('ok'));
    }
    const { example } = await this.runner.run(this.problem, this.repository);
    const output = valueText(example);
    return { ...done(`ran ${name}: ${output}`, [valueToken(example)], plain(output)), ok: example !== 'crash' };
  }

  private async test(): Promise<Result> {
    const { visible } = await this.runner.run(this.problem, this.repository);
    if (!visible) return done('ran the tests: they pass', ['pass'], plain(`${this.problem.visible.length} passed`));
    const text = failureText(visible);
    const observation = ['fail', visible.test.name, visible.symptom];
    return { ...done(`ran the tests: ${text}`, observation, plain(text)), ok: false };
  }

  private async finish(): Promise<Result> {
    const report = await this.runner.run(this.problem, this.repository);
    const text = finishText(report);
    return { ...done(`finished: ${text}`, [], plain(text)), report };
  }
}

function done(summary: string, observation: readonly string[], answer: Result['answer']): Result {
  return { valid: true, ok: true, observation, summary, answer };
}

function invalid(summary: string): Result {
  return { valid: false, ok: false, observation: ['error'], summary: `invalid: ${summary}`, answer: plain('error') };
}

/** Returns the token of a value in the output of `execute`: a digit, `big` from 10 on, `neg`, or `crash`. */
function valueToken(value: CallValue): string {
  if (value === 'crash') return value;
  if (value < 0) return 'neg';
  return value < 10 ? String(value) : 'big';
}
