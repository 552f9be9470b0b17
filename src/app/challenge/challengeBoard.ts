import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { OwnSource } from '../../credit/rules/own/ownSource.ts';
import { TASK_NAMES } from '../../experiments/challenge/challengeTask.ts';
import {
  type ChallengeResult,
  type RaceResult,
  readChallengeFile,
  taskDifference,
  writeChallengeFile,
} from '../../lessons/results/challengeFile.ts';
import { RACE } from '../../lessons/results/race.ts';
import { utf8Text } from '../../rollouts/utf8.ts';
import { base } from '../look/styles.ts';
import { download } from '../runs/download.ts';
import { challengeStrings } from '../strings/challengeStrings.ts';
import { two } from '../truth/truthNumbers.ts';
import { boardEntries, dropEntry, keepEntry } from './board.ts';

const texts = challengeStrings.board;

/** A rule shall stand in the editor. */
export class BroughtEvent extends CustomEvent<{ readonly rule: OwnSource; readonly foreign: boolean }> {
  constructor(rule: OwnSource, foreign: boolean) {
    super('brought', { detail: { rule, foreign }, bubbles: true, composed: true });
  }
}

/**
 * The board of the challenge in this browser, and result files: kept, saved, opened, checked.
 * @fires brought when a rule shall stand in the editor (BroughtEvent)
 */
@customElement('tw-challenge-board')
export class ChallengeBoard extends LitElement {
  static override styles = [
    base,
    css`
      p { max-width: 52rem; margin-top: 0.375rem; line-height: 1.5; overflow-wrap: anywhere; }
      .act { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; margin-top: 0.625rem; font-size: 0.875rem; }
      .act label { display: inline-flex; gap: 0.375rem; align-items: center; flex-wrap: wrap; }
      .scroll { overflow-x: auto; margin-top: 0.5rem; }
      table { font-variant-numeric: tabular-nums; }
      td { white-space: nowrap; }
      th[scope='row'] { max-width: 16rem; overflow-wrap: anywhere; }
      .file { position: relative; }
      .file input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
      .file:focus-within { outline: 2px solid var(--focus); outline-offset: 2px; }
      .file span { display: grid; place-items: center; min-height: 1.75rem; padding: 0 0.625rem; border: 1px solid var(--line-2); border-radius: 6px; }
      .notice { padding: 0.5rem 0.75rem; border: 1px solid var(--line-2); border-inline-start: 5px solid var(--accent); border-radius: 6px; }
    `,
  ];

  /** What came of the rule in the editor; undefined while there is none that works. */
  @property({ attribute: false }) present: ChallengeResult | undefined;
  @state() private name = '';
  @state() private said = '';
  /** A file that was opened. */
  @state() private opened: ChallengeResult | undefined;

  protected override render() {
    const entries = boardEntries();
    return html`<section aria-labelledby="title"><h2 id="title">${texts.title}</h2>
      <p>${texts.what}</p>
      <div class="act">
        <button ?disabled=${!this.present} @click=${this.keep}>${texts.keep}</button>
        <label>${texts.name}<input type="text" autocomplete="name" maxlength="100" .value=${this.name}
          @change=${(event: Event) => (this.name = (event.target as HTMLInputElement).value.trim())} /></label>
        <label class="file"><span>${texts.openFile}</span><input type="file" accept=".json,application/json" @change=${this.open} /></label>
      </div>
      <p role="status">${this.said}</p>
      ${this.opened ? html`<div class="notice" role="group">${this.checked(this.opened).map((line) => html`<p>${line}</p>`)}</div>` : nothing}
      ${entries.length === 0 ? html`<p class="caption">${texts.empty}</p>` : this.table(entries)}
    </section>`;
  }

  private table(entries: readonly ChallengeResult[]) {
    const order = [...entries.keys()].sort((a, b) => merit(entries[b]) - merit(entries[a]));
    return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="title"><table>
      <thead><tr><th scope="col">${challengeStrings.rule}</th>${TASK_NAMES.map((task) => html`<th scope="col">${challengeStrings.names[task]}</th>`)}
        <th scope="col">${texts.raceMean}</th><td></td></tr></thead>
      <tbody>${order.map((at) => {
        const entry = entries[at];
        const cells = TASK_NAMES.map((task) => two(correlationIn(entry, task) ?? Number.NaN));
        return html`<tr><th scope="row">${entry.rule.file}</th>${cells.map((cell) => html`<td>${cell}</td>`)}<td>${raceText(entry.race)}</td>
          <td><button class="small" @click=${() => this.dispatchEvent(new BroughtEvent(entry.rule, false))}>${texts.open}</button>
            <button class="small" @click=${() => this.save(entry)}>${texts.save}</button>
            <button class="small" @click=${() => this.drop(at)}>${texts.drop}</button></td></tr>`;
      })}</tbody></table></div>`;
  }

  /** What is found of a file that was opened. */
  private checked(opened: ChallengeResult): readonly string[] {
    const { present } = this;
    const same = present && JSON.stringify(present.rule) === JSON.stringify(opened.rule);
    if (!same) return [texts.waits];
    const differences = opened.tasks.flatMap((own) => {
      const how = taskDifference(
        own,
        present.tasks.find(({ task }) => task === own.task),
      );
      return how === undefined ? [] : [texts.differs(own.task, how)];
    });
    return [...(differences.length === 0 ? [texts.same] : differences), ...raceChecked(opened.race, present.race)];
  }

  private keep(): void {
    if (!this.present) return;
    this.said = keepEntry(this.present) ? texts.kept(this.present.rule.file) : texts.notKept;
  }

  private drop(at: number): void {
    dropEntry(at);
    this.requestUpdate();
  }

  private save(entry: ChallengeResult): void {
    download(texts.file(entry.rule.file), 'application/json', writeChallengeFile({ ...entry, name: this.name }));
  }

  private async open(event: Event): Promise<void> {
    const field = event.target as HTMLInputElement;
    const [file] = field.files ?? [];
    field.value = '';
    if (!file) return;
    try {
      const read = readChallengeFile(utf8Text(new Uint8Array(await file.arrayBuffer())));
      this.opened = read;
      this.said = texts.opened(file.name, read.name);
      this.dispatchEvent(new BroughtEvent(read.rule, true));
    } catch (error) {
      this.said = texts.bad(file.name, error instanceof Error ? error.message : String(error));
    }
  }
}

function raceChecked(own: readonly RaceResult[], here: readonly RaceResult[]): readonly string[] {
  if (own.length === 0) return [];
  if (here.length === 0) return [texts.raceWaits];
  const other = own.find(({ name, digest }) => here.find((run) => run.name === name)?.digest !== digest);
  return [other ? texts.raceDiffers(other.name) : texts.raceSame];
}

function correlationIn({ tasks }: ChallengeResult, name: string): number | null | undefined {
  return tasks.find(({ task }) => task === name)?.figures?.correlation[0];
}

/** The mean correlation; a task without one counts 0. */
function merit(entry: ChallengeResult): number {
  return TASK_NAMES.reduce((sum, task) => sum + (correlationIn(entry, task) ?? 0), 0);
}

/** The mean of the visitor's runs over their last measurements. */
function raceText(race: readonly RaceResult[]): string {
  const own = race
    .filter(({ name }) => name.startsWith('own,'))
    .flatMap(({ curves }) => (curves[RACE.line] ?? []).filter((value) => value !== null).slice(-RACE.last));
  if (own.length === 0) return '–';
  return `${((100 * own.reduce((sum, value) => sum + value, 0)) / own.length).toFixed(0)} %`;
}
