import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { RULES } from '../../credit/rules.ts';
import { FIELD_MEANINGS } from '../../credit/telling/ruleText.ts';
import type { Group } from '../../rollouts/forest.ts';
import { ForestError } from '../../rollouts/forestError.ts';
import { writeGroups } from '../../rollouts/jsonLines.ts';
import { base } from '../look/styles.ts';
import { download } from '../runs/download.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { FileDrop, fileDropStyles } from './fileDrop.ts';
import { type RolloutFile, readRolloutFile } from './readFile.ts';

/** Fields that every turn needs. */
const REQUIRED = ['parent', 'reward'];

/** The rules' own examples, each once. */
function exampleGroups(): readonly Group[] {
  return [...new Set(RULES.map(({ example }) => example))];
}

/** Groups to inspect were opened. */
export class RolloutFileEvent extends CustomEvent<RolloutFile> {
  constructor(file: RolloutFile) {
    super('rollout-file', { detail: file, bubbles: true, composed: true });
  }
}

/**
 * Takes files of rollouts, dropped or chosen. A file that is wrong anywhere is refused with the place, and what was open
 * before stays.
 * @fires rollout-file (RolloutFileEvent)
 * @fires take-live when the group of the run is wanted
 */
@customElement('tw-rollout-file')
export class RolloutFileElement extends LitElement {
  static override styles = [
    base,
    fileDropStyles,
    css`
    .drop { margin-top: 0.5rem; padding: 0.75rem; }
    details { margin-top: 0.5rem; font-size: 0.875rem; }
    summary { font-size: 0.8125rem; }
    p { margin: 0.375rem 0; max-width: 62rem; }
    pre { margin: 0.375rem 0; padding: 0.5rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
    code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.8125rem; }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.125rem 0.875rem; margin: 0.375rem 0; }
    dd { margin: 0; color: var(--ink-2); }
  `,
  ];

  /** Name of what is open, to say that it stays. */
  @property() open = '';
  /** Whether the run has a group to take. */
  @property({ type: Boolean }) live = false;
  @state() private problem = '';
  /** Files that were given; of several the last one counts, however long each takes to read. */
  private given = 0;
  private readonly files = new FileDrop(this, (file) => void this.read(file));

  protected override render() {
    const texts = inspectorStrings;
    return html`
      <div class="drop ${this.files.over ? 'over' : ''}" @dragover=${this.files.drag}
        @dragleave=${this.files.leave} @drop=${this.files.drop}>
        <span>${texts.drop}</span>
        <label class="button choose">${texts.file}
          <input type="file" accept=".jsonl,.ndjson,.json,.txt,application/jsonl" @change=${this.files.choose} /></label>
        ${this.live ? html`<button @click=${this.take}>${texts.live}</button>` : nothing}
        <button @click=${this.examples}>${texts.examples}</button>
        <span class="caption">${texts.private}</span>
      </div>
      ${this.format()}
      <div role="alert">${
        this.problem
          ? html`<p class="alert">${this.problem}${this.open ? html` <span>${texts.kept(this.open)}</span>` : nothing}</p>`
          : nothing
      }</div>
    `;
  }

  /** What a file holds, and one to begin with. */
  private format() {
    const texts = inspectorStrings.format;
    return html`<details>
      <summary>${texts.title}</summary>
      <p>${texts.what}</p>
      <pre tabindex="0" role="group" aria-label=${texts.exampleLabel}>${texts.example}</pre>
      <dl>${Object.entries(FIELD_MEANINGS).map(
        ([name, meaning]) => html`<dt><code>${name}</code></dt>
          <dd>${REQUIRED.includes(name) ? texts.required(meaning) : meaning}</dd>`,
      )}</dl>
      <button class="small" @click=${this.sample}>${texts.sample}</button>
    </details>`;
  }

  private sample(): void {
    download(inspectorStrings.format.sampleFile, 'application/jsonl', writeGroups(exampleGroups()));
  }

  private async read(file: File): Promise<void> {
    this.given += 1;
    const own = this.given;
    try {
      const read = await readRolloutFile(file);
      if (own === this.given) this.tell(read);
    } catch (error) {
      if (own !== this.given) return;
      // Anything else, a file that is gone for example, has words of the browser's own.
      const problem = error instanceof ForestError ? error.message : String((error as Error).message);
      this.problem = inspectorStrings.refused(file.name, problem);
    }
  }

  private tell(file: RolloutFile): void {
    this.problem = '';
    this.dispatchEvent(new RolloutFileEvent(file));
  }

  /** The rules' own examples, each once. */
  private examples(): void {
    this.given += 1;
    this.tell({ name: inspectorStrings.examplesName, groups: exampleGroups() });
  }

  private take(): void {
    this.given += 1;
    this.problem = '';
    this.dispatchEvent(new CustomEvent('take-live', { bubbles: true, composed: true }));
  }
}
