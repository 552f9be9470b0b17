import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { RunSummary } from '../../storage/runStore.ts';
import '../look/answers.ts';
import type { Answer } from '../look/answers.ts';
import { base, panel } from '../look/styles.ts';
import { savedRunStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';

export type RunAction = 'open' | 'remove' | 'file';

export class RunListEvent extends CustomEvent<{ readonly action: RunAction; readonly run: RunSummary }> {
  constructor(action: RunAction, run: RunSummary) {
    super('run-action', { detail: { action, run }, bubbles: true, composed: true });
  }
}

export class ImportEvent extends CustomEvent<File> {
  constructor(file: File) {
    super('import-run', { detail: file, bubbles: true, composed: true });
  }
}

/**
 * List of the runs saved in this browser.
 * @fires run-action when the user opens, deletes or downloads a run (RunListEvent)
 * @fires keep-run when the user saves the current run again
 * @fires import-run when the user chooses a file of a run (ImportEvent)
 */
@customElement('tw-run-list')
export class RunList extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      ul { margin: 0.5rem 0 0; padding: 0; list-style: none; max-height: 15rem; overflow: auto; }
      .none { margin-top: 0.5rem; }
      .keep, .import { margin-top: 0.5rem; }
      li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; padding: 0.375rem 0;
        border-top: 1px solid var(--line); }
      .what { flex: 1 1 11rem; min-width: 0; font-size: 0.875rem; }
      .what small { display: block; color: var(--ink-2); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
      .actions { display: flex; gap: 0.25rem; }
      .import { position: relative; font-size: 0.8125rem; min-height: 1.75rem; }
      .import input { position: absolute; inset: 0; opacity: 0; cursor: pointer; width: 100%; }
      .import:focus-within { outline: 2px solid var(--focus); outline-offset: 2px; }
    `,
  ];

  @property({ attribute: false }) runs: readonly RunSummary[] = [];
  @property() current = '';
  /** Result of the last pressed button of the list. */
  @property({ attribute: false }) answer: Answer | undefined;
  /** True if the current run was deleted, and is no longer saved. */
  @property({ type: Boolean }) isUnsaved = false;
  /** Run whose deletion waits for a second press. */
  @state() private doubtful = '';
  /** True until the pressed Save button is removed. The focus then moves to the file input. */
  private isSaving = false;
  /**
   * Index in the list of the run that the user deletes. When its buttons are removed, the focus moves to the next row.
   */
  private removing: { readonly id: string; readonly at: number } | undefined;

  protected override render() {
    const texts = strings.runs;
    return html`
      <section aria-labelledby="title">
        <header><h2 id="title">${texts.title}</h2><span class="caption">${texts.caption}</span></header>
        ${
          this.runs.length === 0
            ? html`<p class="caption none">${this.none}</p>`
            : html`<ul>${this.runs.map((run) => this.row(run))}</ul>`
        }
        <tw-answer .answer=${this.answer}></tw-answer>
        ${this.isUnsaved ? html`<button class="small keep" @click=${this.saveName}>${savedRunStrings.save}</button>` : nothing}
        <label class="button import">${texts.import}
          <input type="file" accept=".json,application/json" @change=${this.import} />
        </label>
      </section>
    `;
  }

  /** Text of the empty list. */
  private get none(): string {
    const { empty, emptyUnsaved } = strings.runs;
    return this.isUnsaved ? emptyUnsaved : empty;
  }

  protected override updated(_changed: PropertyValues): void {
    if (this.isSaving && !this.isUnsaved) {
      this.isSaving = false;
      this.renderRoot.querySelector('input')?.focus();
    }
    const { removing, runs } = this;
    if (!removing || runs.some(({ id }) => id === removing.id)) return;
    this.removing = undefined;
    const rows = this.renderRoot.querySelectorAll<HTMLElement>('li button.remove');
    const next = rows[Math.min(removing.at, rows.length - 1)];
    (next ?? this.renderRoot.querySelector<HTMLElement>('input'))?.focus();
  }

  private row(run: RunSummary) {
    const texts = strings.runs;
    const when = new Date(run.savedAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
    const facts = [texts.at(run.step), when, texts.bytes((run.bytes / 1e6).toFixed(1))];
    if (run.id === this.current) facts.push(texts.current);
    return html`<li>
      <span class="what">${run.name}
        <small>${facts.join(' · ')}</small>
      </span>
      <span class="actions">
        <button class="small" aria-label=${texts.openRun(run.name, run.step)}
          @click=${() => this.dispatchAction('open', run)}>${texts.open}</button>
        <button class="small" aria-label=${texts.fileRun(run.name)}
          @click=${() => this.dispatchAction('file', run)}>${texts.file}</button>
        <button class="small remove" aria-label=${texts.removeRun(run.name)} @click=${() => this.removeRun(run)}
          @blur=${() => {
            this.doubtful = '';
          }}>${this.doubtful === run.id ? texts.removeSure : texts.remove}</button>
      </span>
    </li>`;
  }

  private removeRun(run: RunSummary): void {
    if (this.doubtful === run.id) {
      this.removing = { id: run.id, at: this.runs.indexOf(run) };
      this.dispatchAction('remove', run);
    }
    this.doubtful = this.doubtful === run.id ? '' : run.id;
  }

  private dispatchAction(action: RunAction, run: RunSummary): void {
    this.dispatchEvent(new RunListEvent(action, run));
  }

  private saveName(): void {
    this.isSaving = true;
    this.dispatchEvent(new CustomEvent('keep-run'));
  }

  private import(event: Event): void {
    const field = event.target as HTMLInputElement;
    const file = field.files?.[0];
    field.value = '';
    if (file) this.dispatchEvent(new ImportEvent(file));
  }
}
