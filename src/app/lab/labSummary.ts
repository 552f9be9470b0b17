import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { PAPERS } from '../../environments/claim.ts';
import { hoursText } from '../../experiments/claims/verdictWords.ts';
import { base } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import { AUTHORS, VERDICTS, writeLab } from './labAddress.ts';
import { CLAIMS, claimsIn, countedVerdicts, type ListedClaim } from './labClaims.ts';
import { verdictStyles } from './labStyles.ts';
import { verdictChip } from './verdictChips.ts';

/** What does and what does not appear, over all claims: counts, then a line a claim. */
@customElement('tw-lab-summary')
export class LabSummary extends LitElement {
  static override styles = [
    base,
    verdictStyles,
    css`
      h1 { margin: 0 0 0.25rem; font-size: 1.5rem; letter-spacing: -0.02em; }
      h2 { margin: 1.25rem 0 0.375rem; }
      td .verdicts { margin-top: 0.25rem; }
      .counts { margin-top: 0.5rem; font-size: 0.9375rem; }
      a { color: var(--accent); }
      .table { overflow-x: auto; }
      table { width: 100%; min-width: 30rem; }
      tbody td { border-top: 1px solid var(--line); vertical-align: top; }
      td:nth-child(2) { min-width: 14.5rem; line-height: 1.4; }
      td:nth-child(n + 3), th:nth-child(n + 3) { width: 7rem; }
    `,
  ];

  @property({ attribute: false }) claims: readonly ListedClaim[] = CLAIMS;

  protected override render() {
    const texts = labStrings.summary;
    const recent = (summary: ListedClaim['summary']) => summary?.filter(({ edition }) => edition === undefined) ?? [];
    const tests = this.claims.flatMap(({ summary }) => recent(summary).flatMap(({ verdicts }) => verdicts));
    const run = this.claims.filter(({ summary }) => recent(summary).some(({ verdicts }) => verdicts.length > 0));
    return html`<h1>${texts.title}</h1>
      <p>${texts.lead(this.claims.length, run.length, tests.length)}</p>
      <div class="verdicts counts">${VERDICTS.flatMap((verdict) => {
        const count = tests.filter((one) => one === verdict).length;
        return count > 0 ? verdictChip(verdict, count) : [];
      })}</div>
      ${AUTHORS.map((author) => {
        const claims = claimsIn({ author }, this.claims);
        const title = author === 'own' ? labStrings.filter.own : PAPERS[author].title;
        return claims.length === 0 ? '' : html`<h2>${title}</h2>${this.table(title, claims)}`;
      })}`;
  }

  private table(title: string, claims: readonly ListedClaim[]) {
    const texts = labStrings.summary;
    return html`<div class="table" tabindex="0" role="region" aria-label=${title}><table>
      <thead><tr>${[texts.claim, texts.says, texts.seeds, texts.still].map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
      <tbody>${claims.map((listed) => this.row(listed))}</tbody>
    </table></div>`;
  }

  private row({ claim, summary }: ListedClaim) {
    const { id, says, experiments } = claim;
    const left = summary?.filter(({ missing }) => missing > 0) ?? [];
    const hours = left.reduce((sum, one) => sum + one.hours, 0);
    const still = experiments.length === 0 ? labStrings.summary.cannot : left.length > 0 ? hoursText(hours) : '';
    const rows = summary && summary.length > 0 ? summary : [{ name: '', verdicts: [], seeds: '', edition: undefined }];
    return html`<tr>
      <td><a href=${writeLab({ shows: 'claim', id })}>${id.toUpperCase()}</a></td>
      <td>${says}${rows.map(
        ({
          name,
          edition,
          verdicts,
        }) => html`<div class="verdicts">${rows.length > 1 ? html`<span class="muted">${name}</span>` : ''}
          ${edition === 1 ? html`<span class="muted">${labStrings.firstEdition}</span>` : countedVerdicts(verdicts).map(([verdict, count]) => verdictChip(verdict, count))}</div>`,
      )}</td>
      <td>${[...new Set(rows.map(({ seeds }) => seeds))].join(', ')}</td><td>${still}</td>
    </tr>`;
  }
}
