import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { FIELD_MEANINGS } from '../../credit/explanation/ruleText.ts';
import { RULES } from '../../credit/rules.ts';
import type { Finding, GroupSignals } from '../../diagnosis/diagnosis.ts';
import type { LogMessage, LogRequest } from '../../diagnosis/serveLogs.ts';
import type { Group } from '../../rollouts/forest.ts';
import { LOG_FORMATS } from '../../rollouts/import/rollout.ts';
import type { ImportSettings, UserFile } from '../../rollouts/import/userFiles.ts';
import { readGroups, writeGroups } from '../../rollouts/jsonLines.ts';
import { download } from '../look/download.ts';
import { FileDrop, fileDropStyles } from '../look/fileDrop.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';

/** Request to read the open files again with other settings. */
class ImportSettingsEvent extends CustomEvent<ImportSettings> {
  constructor(settings: ImportSettings) {
    super('import-settings', { detail: settings });
  }
}

/**
 * Form with the settings of an import. The settings are equal to the flags of the command `import`.
 * @fires import-settings when the form is submitted (ImportSettingsEvent)
 */
@customElement('tw-import-form')
export class ImportFormElement extends LitElement {
  static override styles = [
    base,
    css`
    form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 0.5rem 0.875rem;
      align-items: end; margin: 0.375rem 0; }
    label { display: grid; gap: 0.125rem; font-size: 0.8125rem; }
    input, select { width: 100%; min-width: 0; min-height: 2rem; box-sizing: border-box; }
    input { padding: 0 0.5rem; border: 1px solid var(--line-2); border-radius: 6px; background: transparent; color: inherit; font: inherit; }
  `,
  ];

  /** Settings with which the files were read. */
  @property({ attribute: false }) settings: ImportSettings = {};

  protected override render() {
    const texts = inspectorStrings.settings;
    const { from = '', outcome = '' } = this.settings;
    const options = (names: readonly string[], chosen: string, labels: Readonly<Record<string, string>> = {}) =>
      ['', ...names].map(
        (name) =>
          html`<option value=${name} ?selected=${name === chosen}>${name === '' ? texts.detected : (labels[name] ?? name)}</option>`,
      );
    const field = (name: 'turnRewards' | 'cut' | 'rewards') => html`<label title=${texts.help[name]}>${texts[name]}
      <input name=${name} .value=${this.settings[name] ?? ''} placeholder=${texts.placeholder[name]}
        spellcheck="false" autocomplete="off" /></label>`;
    return html`<form @submit=${this.submit}>
      <label title=${texts.help.from}>${texts.from}<select name="from">${options(LOG_FORMATS, from)}</select></label>
      ${field('turnRewards')} ${field('cut')}
      <label title=${texts.help.outcome}>${texts.outcome}
        <select name="outcome">${options(['total', 'apart'], outcome, texts.outcomes)}</select></label>
      ${field('rewards')}
      <button type="submit">${texts.read}</button>
    </form>`;
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const values = [...new FormData(event.target as HTMLFormElement)].filter(([, value]) => value !== '');
    this.dispatchEvent(new ImportSettingsEvent(Object.fromEntries(values) as ImportSettings));
  }
}

/** Required fields of a turn. */
const REQUIRED = ['parent', 'reward'];

/** Returns the example groups of all rules, without duplicates. */
function exampleGroups(): readonly Group[] {
  return [...new Set(RULES.map(({ example }) => example))];
}

/** Event with the groups of a file that the user opened. */
export class RolloutFileEvent extends pageEvent<RolloutFile>('rollout-file') {}

/**
 * Opens logs of trainers and files of groups. The user drops or selects files or folders, and a worker reads them. If a
 * file has an error, a message with its location is shown, and the groups that were open before remain open.
 * @fires rollout-file when groups are opened (RolloutFileEvent)
 * @fires take-live when the user requests the group of the run
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
    ul { margin: 0.375rem 0; padding-inline-start: 1.25rem; overflow-wrap: anywhere; }
    p[role='status']:empty { margin: 0; }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.125rem 0.875rem; margin: 0.375rem 0; }
    dd { margin: 0; color: var(--ink-2); }
  `,
  ];

  /** Name of the open file, for the message that it remains open; empty if no file is open. */
  @property() open = '';
  /** True if the run has a group that can be opened. */
  @property({ type: Boolean }) live = false;
  @state() private problem = '';
  private readonly files = new FileDrop(this, (files) => void this.read(files, {}));
  /** Controller that aborts the reading in progress when other files replace it. */
  private reading: AbortController | undefined;
  @state() private status = '';
  @state() private report: readonly string[] = [];
  /** Last files of the user, which can be read again with other settings. */
  @state() private given: readonly UserFile[] = [];
  @state() private settings: ImportSettings = {};

  protected override render() {
    const texts = inspectorStrings;
    return html`
      <div class="drop ${this.files.over ? 'over' : ''}" @dragover=${this.files.drag}
        @dragleave=${this.files.leave} @drop=${this.files.drop}>
        <span>${texts.drop}</span>
        <label class="button choose">${texts.file}
          <input type="file" multiple @change=${this.files.choose} /></label>
        <label class="button choose">${texts.folder}
          <input type="file" webkitdirectory @change=${this.files.choose} /></label>
        ${this.live ? html`<button @click=${this.receive}>${texts.live}</button>` : nothing}
        <button @click=${this.examples}>${texts.examples}</button>
        <button title=${texts.sameGroupsHelp} @click=${this.openSameGroups}>${texts.sameGroups}</button>
        <span class="caption">${texts.private}</span>
      </div>
      <p class="caption" role="status">${this.status}</p>
      ${this.reportOfLogs()}
      ${this.importForm()}
      ${this.format()}
      <div role="alert">${
        this.problem
          ? html`<p class="alert">${this.problem}${this.open ? html` <span>${texts.stillVisible(this.open)}</span>` : nothing}</p>`
          : nothing
      }</div>
    `;
  }

  private reportOfLogs() {
    if (this.report.length === 0) return nothing;
    return html`<details open><summary>${inspectorStrings.report.title}</summary>
      <ul>${this.report.map((line) => html`<li>${line}</li>`)}</ul>
      ${this.report.some((line) => line.includes('--')) ? html`<p class="caption">${inspectorStrings.report.flags}</p>` : nothing}
    </details>`;
  }

  /** Renders the import settings, with which the user can read logs and rejected files again. */
  private importForm() {
    const texts = inspectorStrings.settings;
    if (this.given.length === 0 || (this.report.length === 0 && !this.problem)) return nothing;
    return html`<details ?open=${this.problem !== '' || Object.keys(this.settings).length > 0}>
      <summary>${texts.title(nameOf(this.given))}</summary>
      <tw-import-form .settings=${this.settings}
        @import-settings=${({ detail }: ImportSettingsEvent) => void this.read(this.given, detail)}></tw-import-form>
    </details>`;
  }

  /** Renders the description of the file format, with an example file. */
  private format() {
    const texts = inspectorStrings.format;
    return html`<details>
      <summary>${texts.title}</summary>
      <p>${texts.explanation}</p>
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

  private async read(files: readonly UserFile[], settings: ImportSettings): Promise<void> {
    const name = nameOf(files);
    const { signal } = this.restart();
    this.given = files;
    this.settings = settings;
    this.status = inspectorStrings.reading(name, 0);
    try {
      const see = (groups: number) => (this.status = inspectorStrings.reading(name, groups));
      const read = await readRolloutFiles(files, signal, see, undefined, settings);
      if (!signal.aborted) this.dispatchFile(read);
    } catch (error) {
      if (signal.aborted) return;
      this.status = '';
      this.problem = inspectorStrings.rejectedText(name, String((error as Error).message));
    }
  }

  /** Aborts the reading in progress and clears the messages. */
  private restart(): AbortController {
    this.reading?.abort();
    this.reading = new AbortController();
    this.status = '';
    this.problem = '';
    return this.reading;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.restart();
  }

  private dispatchFile(file: RolloutFile): void {
    this.status = '';
    this.problem = '';
    this.report = file.report ?? [];
    this.dispatchEvent(new RolloutFileEvent(file));
  }

  /** Opens the example groups of all rules. */
  private examples(): void {
    this.restart();
    this.given = [];
    this.dispatchFile({ name: inspectorStrings.examplesName, groups: exampleGroups() });
  }

  /** Opens the groups of docs/reference/same-groups.md. They load at the first request. */
  private async openSameGroups(): Promise<void> {
    const { signal } = this.restart();
    const name = inspectorStrings.sameGroupsName;
    try {
      const { default: text } = await import('./same-groups.jsonl?raw');
      if (signal.aborted) return;
      this.given = [];
      this.dispatchFile({ name, groups: readGroups(text) });
    } catch (error) {
      if (!signal.aborted) this.problem = inspectorStrings.rejectedText(name, (error as Error).message);
    }
  }

  private receive(): void {
    this.restart();
    this.report = [];
    this.given = [];
    this.dispatchEvent(new CustomEvent('take-live', { bubbles: true, composed: true }));
  }
}

/** Groups of completely read files, with the diagnosis of the files. */
export interface RolloutFile {
  readonly name: string;
  readonly groups: readonly Group[];
  /** [lines] report about logs of trainers: columns and rows that were read or ignored. */
  readonly report?: readonly string[];
  /** [groups] values by which the groups are sorted; absent if the groups were not diagnosed. */
  readonly signals?: readonly GroupSignals[];
  /** Findings of the log diagnosis; absent if the groups were not diagnosed. */
  readonly findings?: readonly Finding[];
}

/** Part of the Worker interface that `readRolloutFiles` uses. A test can pass another implementation. */
export interface LogWorker {
  postMessage(request: LogRequest): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<LogMessage>) => void): void;
  addEventListener(type: 'error', listen: (event: ErrorEvent) => void): void;
  terminate(): void;
}

/**
 * Reads and diagnoses logs of trainers and files of groups in a worker, which is terminated afterwards.
 * @param signal aborts the reading
 * @param see callback for progress, with the number of groups read so far
 * @param settings settings for the import of logs
 * @throws {Error} describing the first invalid entry of the files. If `signal` aborts, the promise rejects with its
 * reason
 */
export function readRolloutFiles(
  files: readonly UserFile[],
  signal: AbortSignal,
  see: (groups: number) => void = () => {},
  worker: LogWorker = openWorker(),
  settings: ImportSettings = {},
): Promise<RolloutFile> {
  const groups: Group[] = [];
  const signals: GroupSignals[] = [];
  return new Promise<RolloutFile>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    worker.addEventListener('error', (event) => reject(new Error(event.message)));
    worker.addEventListener('message', ({ data }) => {
      if (data.kind === 'refused') reject(new Error(data.problem));
      else if (data.kind === 'done') {
        const { report, findings } = data;
        resolve({ name: nameOf(files), groups, report, signals, findings });
      } else {
        for (const group of data.groups) groups.push(group);
        for (const signal of data.signals) signals.push(signal);
        see(groups.length);
      }
    });
    worker.postMessage({ files, settings });
  }).finally(() => worker.terminate());
}

/**
 * Returns a name for files: the path of a single file, the common folder of several files, or the first path with "…".
 */
export function nameOf(files: readonly UserFile[]): string {
  const [first] = files.map(({ path }) => path);
  if (files.length === 1) return first;
  const [folder, ...rest] = first.split('/');
  return rest.length > 0 && files.every(({ path }) => path.startsWith(`${folder}/`)) ? folder : `${first}, …`;
}

function openWorker(): LogWorker {
  // Vite recognises a worker only in this form, as one expression.
  return new Worker(new URL('../../../workers/logs.ts', import.meta.url), { type: 'module' });
}
