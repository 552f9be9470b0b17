import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { base } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import { workbenchStyles } from './pythonEditorStyles.ts';
import './editor.ts';
import type { ProgramEvent, PythonEditor } from './editor.ts';
import { PythonController } from './pythonController.ts';
import { EXAMPLES, type ExampleName } from './pythonExamples.ts';
import './testRow.ts';
import { Workspace } from './draft.ts';
import type { LineEvent } from './testRow.ts';

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
