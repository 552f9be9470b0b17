import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { PAPERS } from '../../environments/claim.ts';
import type { ExperimentSummary } from '../../experiments/claims/summary.ts';
import { base, panel } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import { writeLab } from './labAddress.ts';
import { countedVerdicts, type ListedClaim } from './labClaims.ts';
import { verdictStyles } from './labStyles.ts';
import { verdictChip } from './verdictChips.ts';

/** A claim in a list: what is said, by whom, and how its experiments end. */
@customElement('tw-claim-card')
export class ClaimCard extends LitElement {
  static override styles = [
    base,
    panel,
    verdictStyles,
    css`
      :host { display: grid; align-content: start; gap: 0.375rem; }
      .says { font-size: 1rem; line-height: 1.45; text-wrap: pretty; }
      .says a { color: var(--accent); }
      .experiment { color: var(--ink-2); }
    `,
  ];

  @property({ attribute: false }) listed!: ListedClaim;

  protected override render() {
    const texts = labStrings;
    const { claim, summary } = this.listed;
    const { id, says, paper, missing } = claim;
    return html`<p class="caption"><b>${id.toUpperCase()}</b> · ${paper ? PAPERS[paper].name : texts.ownFinding}</p>
      <p class="says"><a href=${writeLab({ shows: 'claim', id })}>${says}</a></p>
      ${
        summary && summary.length > 0
          ? summary.map((one) => this.experiment(one, summary.length > 1))
          : html`<div class="verdicts">${verdictChip('not run')}</div>`
      }
      ${missing && (summary?.length ?? 0) === 0 ? html`<p class="caption">${texts.cannot(missing)}</p>` : nothing}`;
  }

  private experiment({ name, edition, verdicts, seeds, missing, hours }: ExperimentSummary, named: boolean) {
    return html`<div class="verdicts">
      ${named ? html`<span class="experiment">${name}</span>` : nothing}
      ${edition === 1 ? html`<span class="experiment">${labStrings.firstEdition}</span>` : countedVerdicts(verdicts).map(([verdict, count]) => verdictChip(verdict, count))}
      ${verdicts.length > 0 ? html`<span class="experiment">${labStrings.seeds(seeds)}</span>` : nothing}
      ${missing > 0 ? html`<span class="experiment">${labStrings.hours(missing, hours)}</span>` : nothing}
    </div>`;
  }
}
