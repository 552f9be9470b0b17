import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { strings } from '../strings.ts';
import { base } from '../styles.ts';
import { readTruthFile, type TruthFile, TruthFileError } from '../truth/truthFile.ts';

/** A measurement was opened. */
export class TruthFileEvent extends CustomEvent<TruthFile & { readonly name: string }> {
  constructor(name: string, file: TruthFile) {
    super('truth-file', { detail: { ...file, name }, bubbles: true, composed: true });
  }
}

/**
 * Takes files of `turnwise truth --json`, dropped or chosen. A file that is wrong anywhere is refused with the place.
 * @fires truth-file (TruthFileEvent)
 */
@customElement('tw-truth-file')
export class TruthFileChoice extends LitElement {
  static override styles = [
    base,
    css`
      .drop { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; margin-top: 0.75rem;
        padding: 0.5rem 0.75rem; border: 1.5px dashed var(--line-2); border-radius: 8px; font-size: 0.875rem; }
      .drop.over { border-color: var(--accent); border-style: solid; background: var(--hover); }
      .choose { position: relative; }
      .choose input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
      .choose:focus-within { outline: 2px solid var(--focus); outline-offset: 2px; }
      .alert { margin-top: 0.5rem; padding: 0.5rem 0.75rem; border: 1px solid var(--bad); border-radius: 6px;
        background: var(--bad-ground); color: var(--bad); font-size: 0.875rem; overflow-wrap: anywhere; }
      .alert span { color: var(--ink); }
    `,
  ];

  /** Something is shown, and stays when a file is refused. */
  @property({ type: Boolean }) shown = false;
  @state() private over = false;
  @state() private problem = '';
  /** Files that were given; of several the last one counts, however long each takes to read. */
  private given = 0;

  protected override render() {
    const texts = strings.truth.file;
    return html`
      <div class="drop ${this.over ? 'over' : ''}" @dragover=${this.drag} @dragleave=${this.leave} @drop=${this.drop}>
        <span>${texts.drop} <code>turnwise truth --json</code></span>
        <label class="button choose">${texts.choose}
          <input type="file" accept=".json,application/json" @change=${this.choose} /></label>
        <span class="caption">${texts.private}</span>
      </div>
      <div role="alert">${
        this.problem
          ? html`<p class="alert">${this.problem}${this.shown ? html` <span>${texts.kept}</span>` : nothing}</p>`
          : nothing
      }</div>
    `;
  }

  private async read(file: File): Promise<void> {
    const own = ++this.given;
    try {
      const read = readTruthFile(await file.text());
      if (own !== this.given) return;
      this.problem = '';
      this.dispatchEvent(new TruthFileEvent(file.name, read));
    } catch (error) {
      if (own !== this.given) return;
      // Anything else, a file that is gone for example, has words of the browser's own.
      const problem = error instanceof TruthFileError ? error.message : String((error as Error).message);
      this.problem = strings.truth.file.refused(file.name, problem);
    }
  }

  private choose(event: Event): void {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file) void this.read(file);
    // The same file may be chosen again, mended.
    input.value = '';
  }

  private drop(event: DragEvent): void {
    event.preventDefault();
    this.over = false;
    const [file] = event.dataTransfer?.files ?? [];
    if (file) void this.read(file);
  }

  private drag(event: DragEvent): void {
    event.preventDefault();
    this.over = true;
  }

  private leave(): void {
    this.over = false;
  }
}
