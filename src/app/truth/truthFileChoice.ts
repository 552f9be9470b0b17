import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { FileDrop, fileDropStyles } from '../inspector/fileDrop.ts';
import { base } from '../look/styles.ts';
import { truthStrings } from '../strings/truthStrings.ts';
import { readTruthFile, type TruthFile, TruthFileError } from './truthFile.ts';

/** Event of the user opening a measurement file. */
export class TruthFileEvent extends CustomEvent<TruthFile & { readonly name: string }> {
  constructor(name: string, file: TruthFile) {
    super('truth-file', { detail: { ...file, name }, bubbles: true, composed: true });
  }
}

/**
 * Input for files of `turnwise truth --json`, dropped or chosen. An invalid file is refused with the location of the
 * error.
 * @fires truth-file when a file was read (TruthFileEvent)
 */
@customElement('tw-truth-file')
export class TruthFileChoice extends LitElement {
  static override styles = [base, fileDropStyles, css`.drop { margin-top: 0.75rem; padding: 0.5rem 0.75rem; }`];

  /** True if the panel shows a result, which stays when a file is refused. */
  @property({ type: Boolean }) hasResult = false;
  @state() private problem = '';
  /** Number of files given. Only the last file is shown, even if an earlier file takes longer to read. */
  private given = 0;
  private readonly files = new FileDrop(this, ([{ file }]) => void this.read(file));

  protected override render() {
    const texts = truthStrings.file;
    return html`
      <div class="drop ${this.files.over ? 'over' : ''}" @dragover=${this.files.drag}
        @dragleave=${this.files.leave} @drop=${this.files.drop}>
        <span>${texts.drop} <code>turnwise truth --json</code></span>
        <label class="button choose">${texts.choose}
          <input type="file" accept=".json,application/json" @change=${this.files.choose} /></label>
        <span class="caption">${texts.private}</span>
      </div>
      <div role="alert">${
        this.problem
          ? html`<p class="alert">${this.problem}${this.hasResult ? html` <span>${texts.previousResult}</span>` : nothing}</p>`
          : nothing
      }</div>
    `;
  }

  private async read(file: File): Promise<void> {
    const requestId = ++this.given;
    try {
      const read = readTruthFile(await file.text());
      if (requestId !== this.given) return;
      this.problem = '';
      this.dispatchEvent(new TruthFileEvent(file.name, read));
    } catch (error) {
      if (requestId !== this.given) return;
      // Other errors, for example for a removed file, have the text of the browser.
      const problem = error instanceof TruthFileError ? error.message : String((error as Error).message);
      this.problem = truthStrings.file.rejectedText(file.name, problem);
    }
  }
}
