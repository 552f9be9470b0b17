import { LIMITS, type LimitKind, type UnitTestResult } from '@turnwise/python-sandbox/types';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import { EXAMPLES, type ExampleName, type TestResult, Workspace } from './drafts.ts';
import type { ProgramEvent, PythonEditor } from './editor.ts';
import { PythonController } from './pythonController.ts';
import './editor.ts';

/** Layout of the Python panel: editor and tests are side by side if there is room. */
const workbenchStyles = css`
  .bench { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem 1.5rem; margin-top: 0.75rem; }
  .bench > * { min-width: 0; }
  @media (min-width: 900px) { .bench { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
  .which { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: end; margin-bottom: 0.625rem; }
  .which label { display: grid; gap: 0.125rem; font-size: 0.8125rem; color: var(--ink-2); min-width: 0; }
  .which label > * { color: var(--ink); max-width: 100%; }
  .wrong { color: var(--bad); font-size: 0.8125rem; margin: 0.375rem 0 0; overflow-wrap: anywhere; }
  .go { display: flex; flex-wrap: wrap; gap: 0.375rem 0.5rem; align-items: center; margin-top: 0.625rem; }
  .stage { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin-top: 0.5rem;
    font-size: 0.8125rem; color: var(--ink-2); font-variant-numeric: tabular-nums; }
  .stage.failed { color: var(--bad); overflow-wrap: anywhere; }
  progress { accent-color: var(--accent); width: 10rem; max-width: 100%; height: 0.5rem; }
  ol { list-style: none; margin: 0.5rem 0; padding: 0; }
  .summary { font-size: 0.9375rem; font-weight: 600; min-height: 1.45em; }
  @media print { .which, .go, .stage { display: none; } }
`;

/** Workspace of the page. The drafts remain after the panel is closed. */
const workspace = new Workspace(sessionStore());

function sessionStore(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    // The iframe of a course page may forbid storage.
    return undefined;
  }
}

/** Message of the panel about the last press of Run. */
type Note = 'none' | 'cancelled' | 'refused';

/** Content of the opened Python panel: program, tests and results. */
@customElement('tw-python-bench')
export class PythonWorkbench extends LitElement {
  static override styles = [base, workbenchStyles];

  /** Time at which the panel was opened, on the clock of the page [ms]. */
  @property({ type: Number }) since = 0;
  @state() private note: Note = 'none';
  /** True while Reset waits for a second press. */
  @state() private doubtful = false;
  @query('#program') private editor!: PythonEditor;
  @query('#tests') private testEditor!: PythonEditor;
  private readonly python = new PythonController(this, () => this.since);

  protected override render() {
    return html`
      <div class="bench" @keydown=${{ handleEvent: this.key, capture: true }}>
        <div>${this.renderExampleMenu()}
          <tw-python-editor id="program" .name=${workspace.chosen} .program=${workspace.draft.program}
            @program-change=${(event: ProgramEvent) => this.act(() => workspace.change({ program: event.detail }))}>
          </tw-python-editor>
          ${this.go()}
        </div>
        <div>${this.tests()}</div>
      </div>
    `;
  }

  private renderExampleMenu() {
    const texts = pythonStrings;
    const name = texts.examples[workspace.chosen];
    return html`
      <div class="which">
        <label>${texts.choose}<select @change=${this.choose}>
          ${EXAMPLES.map(
            (example) => html`<option value=${example} ?selected=${example === workspace.chosen}>
              ${texts.examples[example]}</option>`,
          )}
        </select></label>
        <button aria-label=${this.doubtful ? texts.resetSure : texts.resetLong(name)} @click=${this.reset}
          @blur=${() => {
            this.doubtful = false;
          }}>${this.doubtful ? texts.resetSure : texts.reset}</button>
      </div>
    `;
  }

  private go() {
    const texts = pythonStrings;
    return html`
      <div class="go">
        <button class="primary" ?disabled=${this.python.running} aria-describedby="keys" @click=${this.run}>
          ${texts.run}</button>
        <button ?disabled=${!this.python.running} @click=${this.cancel}>${texts.cancel}</button>
        <span class="caption" id="keys">${texts.runKeys}</span>
      </div>
      ${this.stage()}
      <p class="summary" role="status">${this.summary()}</p>
    `;
  }

  private tests() {
    const texts = pythonStrings;
    const { chosen, draft, rejection, result } = workspace;
    return html`
      <h3>${texts.tests}</h3>
      <p class="caption">${texts.testsHelp}</p>
      <tw-python-editor id="tests" .label=${texts.tests} .name=${chosen} .program=${draft.tests}
        @program-change=${(event: ProgramEvent) => this.act(() => workspace.change({ tests: event.detail }))}>
      </tw-python-editor>
      ${rejection ? html`<p class="wrong" role="alert">${rejection.problem}</p>` : nothing}
      ${
        result
          ? html`<ol aria-label=${texts.resultsTitle}>${result.tests.map(
              (test, index) =>
                html`<li><tw-python-test .result=${test} .number=${index + 1}
                  @line=${(event: LineEvent) => this.editor.goTo(event.detail)}></tw-python-test></li>`,
            )}</ol>`
          : nothing
      }
    `;
  }

  /** Renders the state of the interpreter. Screen readers do not announce the progress numbers. */
  private stage() {
    const texts = pythonStrings;
    const { stage } = this.python;
    switch (stage.name) {
      case 'loading': {
        const { bytes, total } = stage;
        const message = texts.loading(megabytes(bytes), total === undefined ? undefined : megabytes(total));
        return html`<p class="stage"><progress aria-label=${texts.loadingLabel} max=${total ?? nothing}
          value=${total === undefined ? nothing : bytes}></progress>${message}</p>`;
      }
      case 'starting':
        return html`<p class="stage"><progress aria-label=${texts.starting}></progress>${texts.starting}</p>`;
      case 'ready':
        return html`<p class="stage" role="status">${texts.ready(stage.seconds.toFixed(1))}</p>`;
      case 'failed':
        return html`<p class="stage failed" role="alert">${texts.failed(stage.reason)}
          <button class="small" @click=${() => this.python.again()}>${texts.again}</button></p>`;
    }
  }

  private summary() {
    const texts = pythonStrings;
    const { rejection, result } = workspace;
    if (this.python.running) return this.python.stage.name === 'ready' ? texts.running : texts.waiting;
    if (this.note === 'refused' && rejection) return texts.rejectedText;
    if (this.note === 'cancelled') return texts.cancelled;
    if (!result) return nothing;
    const passed = result.tests.filter(({ testResult }) => testResult.status === 'passed').length;
    const text = texts.summary(passed, result.tests.length, result.fuel);
    return workspace.current ? text : html`${text} <span class="caption">${texts.stale}</span>`;
  }

  private run = async (): Promise<void> => {
    const { chosen } = workspace;
    const tests = workspace.ready();
    this.note = tests ? 'none' : 'refused';
    this.requestUpdate();
    if (!tests) {
      this.testEditor.goTo(workspace.rejection?.line ?? 1);
      return;
    }
    const results = await this.python.run(tests.jobs);
    if (results) workspace.settle(chosen, tests, results);
    this.requestUpdate();
  };

  private cancel = (): void => {
    this.python.cancel();
    this.note = 'cancelled';
  };

  private key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // Prevents the editor from inserting a line.
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat && !this.python.running) void this.run();
  };

  private choose(event: Event): void {
    const name = (event.target as HTMLSelectElement).value as ExampleName;
    this.act(() => workspace.choose(name));
  }

  private reset(): void {
    if (this.doubtful) this.act(() => workspace.reset());
    this.doubtful = !this.doubtful;
  }

  /** Applies a change to the workspace and updates the panel. */
  private act(change: () => void): void {
    change();
    if (this.note === 'cancelled') this.note = 'none';
    this.requestUpdate();
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

class LineEvent extends pageEvent<number>('line') {}

/**
 * Test with its result.
 * @fires line when the user requests the line of an error (LineEvent)
 */
@customElement('tw-python-test')
export class PythonTest extends LitElement {
  static override styles = [
    base,
    css`
      :host { min-width: 0; padding: 0.625rem 0; border-top: 1px solid var(--line); }
      code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.8125rem; overflow-wrap: anywhere; }
      .result { margin-top: 0.375rem; font-size: 0.875rem; overflow-wrap: anywhere; }
      .result strong::before { content: attr(data-mark) / ''; margin-inline-end: 0.375em; }
      .passed strong { color: var(--series-3); }
      .failed strong, .error strong, .limit strong, .violation strong { color: var(--bad); }
      .result button { text-decoration: underline; color: var(--accent); padding-inline: 0; }
      .fuel { color: var(--ink-2); font-size: 0.8125rem; }
      pre { margin: 0.25rem 0 0; padding: 0.375rem 0.5rem; max-height: 9rem; overflow: auto; background: var(--hover);
        border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }
      .printed { margin-top: 0.375rem; }
    `,
  ];

  @property({ attribute: false }) result!: TestResult;
  /** Number of the test, from 1. */
  @property({ type: Number }) number = 1;

  protected override render() {
    const texts = pythonStrings;
    const { text, testResult } = this.result;
    const mark = testResult.status === 'passed' ? '✓' : '✗';
    return html`
      <code>${text}</code>
      <p class="result ${testResult.status}">
        <strong data-mark=${mark}>${texts.results[testResult.status]}</strong>${this.explain(testResult)}
        <span class="fuel">${texts.fuel(testResult.fuel)}</span>
      </p>
      ${testResult.output === '' ? nothing : this.printed(testResult.output)}
    `;
  }

  /** Renders the reason why a test did not pass. */
  private explain({ status, error }: UnitTestResult) {
    const texts = pythonStrings;
    if (!error) return '.';
    if (status === 'failed') {
      const hint = error.message === `${texts.returned}None` ? ` ${texts.none}` : '';
      return error.message === '' ? '.' : html`: ${error.message}.${hint}`;
    }
    const { type, message, line } = error;
    if (status === 'limit') return html`: ${limitText(type, message)}`;
    if (status === 'violation') return html`: ${violationText(message)}.`;
    const cell =
      line === undefined
        ? '.'
        : html`, <button class="plain" aria-label=${texts.goToLong(line)}
            @click=${() => this.dispatchEvent(new LineEvent(line))}>${texts.goTo(line)}</button>.`;
    return html`: ${texts.exception(type, message)}${cell}`;
  }

  private printed(output: string) {
    const texts = pythonStrings;
    const cut = output.length >= LIMITS.output;
    return html`<div class="printed"><span class="caption">${texts.printed}</span>
      <pre tabindex=${isLong(output) ? '0' : nothing} role="group" aria-label=${texts.printedBy(this.number)}>${output}</pre>
      ${cut ? html`<p class="caption">${texts.cut(LIMITS.output)}</p>` : nothing}</div>`;
  }
}

/** Returns true if printed text may need to scroll. The text must then be focusable with the Tab key. */
function isLong(output: string): boolean {
  return output.length > 200 || output.split('\n').length > 6;
}

/** Describes an exceeded limit. @param type type of the error in the test result, for example "fuel limit" */
function limitText(type: string, message: string): string {
  const kind = type.replace(/ limit$/, '') as LimitKind;
  const { limits } = pythonStrings;
  if (!Object.hasOwn(limits, kind)) return message;
  return limits[kind](kind === 'stack' ? 0 : LIMITS[kind]);
}

/** Describes a violation that the sandbox detected. */
export function violationText(reason: string): string {
  const [, hostImport] = /^called (.+), which is closed$/.exec(reason) ?? [];
  return hostImport === undefined ? reason : pythonStrings.blockedAccess(hostImport);
}
