import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Problem } from '../../training/data/protocol.ts';
import { VisibleController } from '../drawing/drawing.ts';
import { base, panel } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/**
 * Notices that do not stop the run and are not the result of a button, for example an ignored part of a link. Notices
 * appear at the top of the page. If the top is not visible, a new notice appears at the bottom of the window.
 * @fires dismiss when the user dismisses the notices
 */
@customElement('tw-notices')
export class Notices extends LitElement {
  static override styles = [
    base,
    css`
      .notice { display: flex; gap: 0.5rem 1rem; align-items: start; justify-content: space-between;
        padding: 0.5rem 0.875rem;
        border: 1px solid var(--note-line); border-radius: 8px; background: var(--note-ground); font-size: 0.875rem;
        margin-top: 0.875rem; }
      .foot { position: fixed; z-index: 15; inset-inline: 0; bottom: 0; margin: 0 auto; max-width: 48rem; width: 100%;
        border-radius: 8px 8px 0 0; border-bottom: 0; box-shadow: 0 -4px 20px rgb(0 0 0 / 0.2); max-height: 40vh; overflow: auto; }
      ul { margin: 0; padding: 0; list-style: none; min-width: 0; overflow-wrap: anywhere; }
      @media print { :host { display: none; } }
    `,
  ];

  @property({ attribute: false }) notices: readonly string[] = [];
  /** Notices that arrived while the top of the page was not visible. */
  private missed: readonly string[] = [];
  private readonly visibility = new VisibleController(this, '0px');

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('notices')) return;
    const before = changed.get('notices') ?? [];
    // The page opens at its top, so the notices of the first render are visible.
    const unseen =
      this.hasUpdated && !this.visibility.visible ? this.notices.filter((notice) => !before.includes(notice)) : [];
    this.missed = [...this.missed, ...unseen].filter((notice) => this.notices.includes(notice));
  }

  protected override render() {
    return html`<div role="status" aria-label=${strings.notices.region}>
      ${this.list(
        this.notices.filter((notice) => !this.missed.includes(notice)),
        'top',
      )}
      ${this.list(this.missed, 'foot')}
    </div>`;
  }

  private list(notices: readonly string[], where: 'top' | 'foot') {
    if (notices.length === 0) return nothing;
    return html`<div class="notice ${where}">
      <ul>${notices.map((notice) => html`<li>${notice}</li>`)}</ul>
      <button class="small" @click=${this.dismiss}>${strings.notices.dismiss}</button>
    </div>`;
  }

  private dismiss(): void {
    this.dispatchEvent(new CustomEvent('dismiss'));
  }
}

export type ProblemAction = 'restart' | 'dismiss';

export class ProblemEvent extends CustomEvent<{ readonly action: ProblemAction; readonly problem: Problem }> {
  constructor(action: ProblemAction, problem: Problem) {
    super('problem-action', { detail: { action, problem }, bubbles: true, composed: true });
  }
}

/**
 * Problems of the run, with the possible actions. Screen readers announce them immediately.
 * @fires problem-action when the user chooses an action (ProblemEvent)
 */
@customElement('tw-problems')
export class Problems extends LitElement {
  static override styles = [
    base,
    css`
      .problem { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding: 0.75rem 1rem;
        border: 1px solid var(--bad); border-inline-start-width: 5px; border-radius: 8px;
        background: var(--bad-ground); margin-top: 0.875rem; }
      p { flex: 1 1 20rem; overflow-wrap: anywhere; }
    `,
  ];

  @property({ attribute: false }) problems: readonly Problem[] = [];
  /** Step of the checkpoint from which a restart continues; null if no checkpoint exists. */
  @property({ type: Number }) checkpointStep: number | null = null;

  protected override render() {
    return html`<div role="alert"
      aria-label=${strings.problem.region}>${this.problems.map((problem) => this.problem(problem))}</div>`;
  }

  private problem(problem: Problem) {
    const { restart, restartFresh, again, dismiss } = strings.problem;
    const act = (action: ProblemAction) => () => this.dispatchEvent(new ProblemEvent(action, problem));
    const fresh = problem.kind === 'not-loaded' ? again : restartFresh;
    const label = this.checkpointStep === null ? fresh : restart(this.checkpointStep);
    return html`<div class="problem">
      <p>${problem.message}</p>
      ${
        problem.recovery === 'last-checkpoint'
          ? html`<button class="primary" @click=${act('restart')}>${label}</button>`
          : nothing
      }
      <button class="small" @click=${act('dismiss')}>${dismiss}</button>
    </div>`;
  }
}

/** Advice for a browser with neither WebAssembly SIMD nor WebGPU. */
@customElement('tw-no-engine')
export class NoEngine extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      :host { border-inline-start: 5px solid var(--accent); margin-top: 0.875rem; padding-block: 0.5rem; }
      section { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
      details { flex: 1 1 auto; }
      details[open] { flex-basis: 100%; }
      p { margin: 0.375rem 0 0.5rem; max-width: 62rem; font-size: 0.875rem; }
      summary { font-weight: 600; font-size: 0.875rem; }
      dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.375rem 1rem; margin: 0.5rem 0 0;
        font-size: 0.875rem; }
      dt { font-weight: 600; }
      dd { margin: 0; overflow-wrap: anywhere; }
      @media (max-width: 480px) { dl { grid-template-columns: 1fr; gap: 0.125rem; } dd { margin-bottom: 0.375rem; } }
    `,
  ];

  protected override render() {
    const texts = strings.noEngine;
    return html`<section aria-labelledby="title">
      <h2 id="title">${texts.title}</h2>
      <details>
        <summary>${texts.how}</summary>
        <p>${texts.body}</p>
        <dl>${texts.browsers.map(([browser, advice]) => html`<dt>${browser}</dt><dd>${advice}</dd>`)}</dl>
      </details>
    </section>`;
  }
}
