import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { PAPERS } from '../../environments/claim.ts';
import { base, panel } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import { conclusionChip } from './conclusionChips.ts';
import { writeLab } from './labAddress.ts';
import { type ListedClaim, stateOf } from './labClaims.ts';
import { conclusionStyles } from './labStyles.ts';

/** Card of a claim in a list: sentence, paper, conclusion and numbers of its primary test. */
@customElement('tw-claim-card')
export class ClaimCard extends LitElement {
  static override styles = [
    base,
    panel,
    conclusionStyles,
    css`
      :host { display: grid; align-content: start; gap: 0.375rem; }
      .says { font-size: 1rem; line-height: 1.45; text-wrap: pretty; }
      .says a { color: var(--accent); }
    `,
  ];

  @property({ attribute: false }) listed!: ListedClaim;

  protected override render() {
    const texts = labStrings;
    const { claim, summary } = this.listed;
    const { id, says, paper, missing } = claim;
    const numbers = paper ? summary?.effect : summary && summary.state !== 'not run' ? summary.tests : '';
    return html`<p class="caption"><b>${id.toUpperCase()}</b> · ${paper ? PAPERS[paper].name : texts.customFinding}</p>
      <p class="says"><a href=${writeLab({ shows: 'claim', id })}>${says}</a></p>
      <div class="conclusions">${conclusionChip(stateOf(this.listed), summary?.text ?? texts.states['not run'])}
        ${numbers ? html`<span class="muted number">${numbers}</span>` : nothing}</div>
      ${summary && summary.missing > 0 ? html`<p class="caption">${texts.hours(summary.missing, summary.hours)}</p>` : nothing}
      ${missing && claim.experiments.length === 0 ? html`<p class="caption">${texts.cannot(missing)}</p>` : nothing}`;
  }
}
