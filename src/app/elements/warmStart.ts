import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { WarmStartProgress } from '../session/runModel.ts';
import { strings } from '../strings.ts';
import { base, panel } from '../styles.ts';

/** How far the supervised lessons before the reinforcement are. */
@customElement('tw-warm-start')
export class WarmStart extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      progress { width: 100%; height: 0.625rem; accent-color: var(--accent); margin: 0.5rem 0 0.25rem; }
      .line { display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
    `,
  ];

  @property({ attribute: false }) progress: WarmStartProgress | undefined;

  protected override render() {
    const texts = strings.warming;
    const { progress } = this;
    if (!progress) return nothing;
    return html`<section aria-labelledby="title">
      <header><h2 id="title">${texts.title}</h2><span class="caption">${texts.why}</span></header>
      <progress max=${progress.steps} .value=${progress.step} aria-labelledby="title"></progress>
      <p class="line">
        <span>${texts.progress(progress.stage, progress.step, progress.steps)}</span>
        <span class="muted">${texts.loss(progress.loss.toFixed(3))}</span>
      </p>
    </section>`;
  }
}
