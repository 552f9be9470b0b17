import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Problem } from '../../training/data/protocol.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

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
