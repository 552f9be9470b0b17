import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { base } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import { benchStyles } from './pythonBenchStyles.ts';
import './editor.ts';
import type { ProgramEvent, PythonEditor } from './editor.ts';
import { PythonController } from './pythonController.ts';
import { EXAMPLES, type ExampleName } from './pythonExamples.ts';
import './testRow.ts';
import { MOST_TESTS, Workspace } from './draft.ts';
import type { TestDraft } from './pythonJob.ts';
import type { LineEvent, PythonTest, TestChangeEvent } from './testRow.ts';

/** One for the page: what was written outlives the panel. */
const workspace = new Workspace(sessionStore());

function sessionStore(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    // A course's iframe may forbid it.
    return undefined;
  }
}

/** What the panel says of the last press of Run. */
type Note = 'none' | 'cancelled' | 'refused';

/** The opened Python panel: program, tests, verdicts. */
@customElement('tw-python-bench')
export class PythonBench extends LitElement {
  static override styles = [base, benchStyles];

  /** When the panel was opened, on the page's clock. */
  @property({ type: Number }) since = 0;
  @state() private note: Note = 'none';
  /** Reset waits for a second press. */
  @state() private doubtful = false;
  @query('tw-python-editor') private editor!: PythonEditor;
  private readonly python = new PythonController(this, () => this.since);

  protected override render() {
    return html`
      <div class="bench" @keydown=${{ handleEvent: this.key, capture: true }}>
        <div>${this.which()}
          <tw-python-editor .name=${workspace.chosen} .program=${workspace.draft.program}
            @program-change=${(event: ProgramEvent) => this.act(() => workspace.change({ program: event.detail }))}>
          </tw-python-editor>
          ${this.go()}
        </div>
        <div>${this.tests()}</div>
      </div>
    `;
  }

  private which() {
    const texts = pythonStrings;
    const { entry } = workspace.draft;
    const wrong = workspace.refusal?.entry;
    const name = texts.examples[workspace.chosen];
    return html`
      <div class="which">
        <label>${texts.choose}<select @change=${this.choose}>
          ${EXAMPLES.map(
            (example) => html`<option value=${example} ?selected=${example === workspace.chosen}>
              ${texts.examples[example]}</option>`,
          )}
        </select></label>
        <label>${texts.entry}<input type="text" id="entry" .value=${entry} title=${texts.entryHelp} autocomplete="off"
          autocapitalize="off" spellcheck="false" aria-invalid=${wrong === undefined ? 'false' : 'true'}
          aria-describedby=${wrong === undefined ? nothing : 'entry-wrong'} @input=${this.rename} /></label>
        <button aria-label=${this.doubtful ? texts.resetSure : texts.resetLong(name)} @click=${this.reset}
          @blur=${() => {
            this.doubtful = false;
          }}>${this.doubtful ? texts.resetSure : texts.reset}</button>
      </div>
      ${wrong === undefined ? nothing : html`<p class="wrong" id="entry-wrong">${wrong}</p>`}
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
    const { tests } = workspace.draft;
    return html`
      <h3 id="tests">${texts.tests}</h3>
      <p class="caption">${texts.testsHelp}</p>
      <ol aria-labelledby="tests">${repeat(
        tests,
        ({ id }) => id,
        (test, i) => this.row(test, i + 1),
      )}</ol>
      <div class="add"><button class="small" ?disabled=${tests.length >= MOST_TESTS} @click=${this.add}>${texts.add}</button>
        ${tests.length >= MOST_TESTS ? html`<span class="caption">${texts.most(MOST_TESTS)}</span>` : nothing}</div>
    `;
  }

  private row(test: TestDraft, number: number) {
    const { refusal, draft } = workspace;
    return html`<li><tw-python-test .test=${test} .number=${number} .entry=${draft.entry} .shown=${workspace.verdictOf(test)}
      .badArgs=${refusal?.[`${test.id}.args`]} .badExpected=${refusal?.[`${test.id}.expected`]}
      ?alone=${draft.tests.length === 1} @line=${(event: LineEvent) => this.editor.goTo(event.detail)}
      @test-change=${(event: TestChangeEvent) => this.act(() => workspace.changeTest(test.id, event.detail))}
      @remove=${() => this.removeTest(test.id)}></tw-python-test></li>`;
  }

  /** How far Python is; the numbers that run are not read out. */
  private stage() {
    const texts = pythonStrings;
    const { stage } = this.python;
    switch (stage.name) {
      case 'loading': {
        const { bytes, total } = stage;
        const told = texts.loading(megabytes(bytes), total === undefined ? undefined : megabytes(total));
        return html`<p class="stage"><progress aria-label=${texts.loadingLabel} max=${total ?? nothing}
          value=${total === undefined ? nothing : bytes}></progress>${told}</p>`;
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
    const { refusal, result } = workspace;
    if (this.python.running) return this.python.stage.name === 'ready' ? texts.running : texts.waiting;
    if (this.note === 'refused' && refusal) return texts.refused(Object.keys(refusal).length);
    if (this.note === 'cancelled') return texts.cancelled;
    if (!result) return nothing;
    const passed = result.tests.filter(({ status }) => status === 'passed').length;
    const text = texts.summary(passed, result.tests.length, result.fuel);
    return workspace.current ? text : html`${text} <span class="caption">${texts.stale}</span>`;
  }

  private run = async (): Promise<void> => {
    const { chosen, draft } = workspace;
    const job = workspace.job();
    this.note = job ? 'none' : 'refused';
    this.requestUpdate();
    if (!job) {
      await this.updateComplete;
      this.showRefusal();
      return;
    }
    const verdict = await this.python.run(job);
    if (verdict) workspace.settle(chosen, draft, verdict);
    this.requestUpdate();
  };

  /** Puts the focus on the first field that cannot be read. */
  private showRefusal(): void {
    const { refusal, draft } = workspace;
    if (refusal?.entry !== undefined) {
      this.renderRoot.querySelector<HTMLElement>('#entry')?.focus();
      return;
    }
    const first = draft.tests.findIndex(({ id }) => refusal?.[`${id}.args`] ?? refusal?.[`${id}.expected`]);
    const row = this.renderRoot.querySelectorAll<PythonTest>('tw-python-test')[first];
    void row?.updateComplete.then(() => row.focus());
  }

  private cancel = (): void => {
    this.python.cancel();
    this.note = 'cancelled';
  };

  private key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // The editor would begin a line.
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat && !this.python.running) void this.run();
  };

  private choose(event: Event): void {
    const name = (event.target as HTMLSelectElement).value as ExampleName;
    this.act(() => workspace.choose(name));
  }

  private rename(event: Event): void {
    const { value } = event.target as HTMLInputElement;
    this.act(() => workspace.change({ entry: value }));
  }

  private reset(): void {
    if (this.doubtful) this.act(() => workspace.reset());
    this.doubtful = !this.doubtful;
  }

  private add(): void {
    this.act(() => workspace.addTest());
    void this.focusRow(workspace.draft.tests.length - 1);
  }

  private removeTest(id: number): void {
    const at = workspace.draft.tests.findIndex((test) => test.id === id);
    this.act(() => workspace.removeTest(id));
    // The button is gone, and the focus must not go with it.
    void this.focusRow(Math.min(at, workspace.draft.tests.length - 1));
  }

  private async focusRow(index: number): Promise<void> {
    await this.updateComplete;
    const row = this.renderRoot.querySelectorAll<PythonTest>('tw-python-test')[index];
    await row?.updateComplete;
    row?.focus();
  }

  /** Does something to what is written, and shows it. */
  private act(change: () => void): void {
    change();
    if (this.note === 'cancelled') this.note = 'none';
    this.requestUpdate();
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
