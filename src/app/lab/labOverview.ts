import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { PAPERS, type Paper } from '../../environments/claim.ts';
import { READER_NOTE, READER_STATES, readerSentence, withChange } from '../../experiments/claims/conclusionText.ts';
import { inOrder } from '../../experiments/claims/plot.ts';
import { base } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import { AUTHORS, type Author, CLAIMS, claimsIn, type ListedClaim, stateOf, writeLab } from './labClaims.ts';
import './labFigure.ts';
import { conclusionChip, conclusionStyles, type LabFigureRow } from './labFigure.ts';

/** Overview of the papers' claims: summary, counts that link to filtered lists, table, and one figure per paper. */
@customElement('tw-lab-overview')
export class LabOverview extends LitElement {
  static override styles = [
    base,
    conclusionStyles,
    css`
      h1 { margin: 0 0 0.25rem; font-size: 1.5rem; letter-spacing: -0.02em; }
      h2 { margin: 1.5rem 0 0.375rem; }
      h3 { margin: 1rem 0 0.25rem; font-size: 0.9375rem; }
      .lead { max-width: 48rem; font-size: 1.0625rem; line-height: 1.5; text-wrap: pretty; }
      .counts { margin: 0.5rem 0; font-size: 0.9375rem; }
      .counts a { text-decoration: none; }
      .note { max-width: 48rem; margin-top: 0.5rem; }
      .ways { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0.5rem 0 0; }
      a { color: var(--accent); }
      .table { overflow-x: auto; }
      table { width: 100%; font-size: 0.875rem; }
      th[scope='rowgroup'] { padding-top: 0.75rem; color: var(--ink); font-size: 0.9375rem; }
      tbody td { border-top: 1px solid var(--line); vertical-align: top; line-height: 1.4; }
      td:nth-child(n + 3) { font-variant-numeric: tabular-nums; }
      @media (min-width: 641px) { td:nth-child(3) { min-width: 14.5rem; } td:nth-child(4) { white-space: nowrap; } }
      @media (max-width: 640px) {
        table { font-size: 0.8125rem; }
        td, th { padding-inline: 0.25rem; }
        thead th:first-child { width: 48%; }
        td .conclusions { font-size: 0.75rem; }
        td .conclusion { padding-inline: 0.25rem; border-radius: 8px; white-space: normal; }
      }
    `,
  ];

  @property({ attribute: false }) claims: readonly ListedClaim[] = CLAIMS;

  protected override render() {
    const texts = labStrings.overview;
    const ofPapers = this.claims.filter(({ claim }) => claim.paper);
    const papers = AUTHORS.filter((author): author is Paper => author !== 'own' && this.of(author).length > 0);
    return html`<h1>${labStrings.title}</h1>
      <p class="lead">${readerSentence(ofPapers.map(stateOf))}</p>
      <nav class="conclusions counts" aria-label=${labStrings.filter.conclusionHead}>${READER_STATES.map((state) => {
        const count = ofPapers.filter((listed) => stateOf(listed) === state).length;
        return count === 0
          ? nothing
          : html`<a href=${writeLab({ shows: 'list', filter: { state } })}>${conclusionChip(state, `${labStrings.states[state]} ${count}`)}</a>`;
      })}</nav>
      <div class="table" tabindex="0" role="region" aria-label=${texts.table}><table>
        <thead><tr>${[texts.claim, texts.here, texts.effect, texts.seeds].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        ${papers.map((author) => html`<tbody><tr><th scope="rowgroup" colspan="4">${PAPERS[author].name}</th></tr>${this.of(author).map((listed) => this.row(listed))}</tbody>`)}
      </table></div>
      <p class="caption note">${READER_NOTE}</p>
      <p class="ways"><a href=${writeLab({ shows: 'list', filter: {} })}>${texts.all(this.claims.length)}</a>
        <a href=${writeLab({ shows: 'list', filter: { author: 'own' } })}>${texts.questions(this.of('own').length)}</a></p>
      <h2>${texts.figures}</h2>
      ${papers.map((author) => this.figure(author))}`;
  }

  private of(author: Author): readonly ListedClaim[] {
    return claimsIn({ author }, this.claims);
  }

  private row(listed: ListedClaim) {
    const { claim, summary } = listed;
    const { id, says } = claim;
    const state = stateOf(listed);
    return html`<tr>
      <td><a href=${writeLab({ shows: 'claim', id })}>${id.toUpperCase()}</a> ${says}</td>
      <td><span class="conclusions">${conclusionChip(state, withChange(state === 'running' ? labStrings.overview.open : (summary?.text ?? labStrings.states[state]), claim))}</span></td>
      <td>${summary?.effect ?? ''}</td>
      <td>${summary?.seeds ?? ''}</td>
    </tr>`;
  }

  private figure(author: Paper) {
    const rows = this.of(author).flatMap((listed): LabFigureRow[] => {
      const { claim, summary } = listed;
      if (!summary?.row) return [];
      const { id, says } = claim;
      const label = html`<a href=${writeLab({ shows: 'claim', id })}>${id.toUpperCase()}</a> ${says}`;
      const chip = conclusionChip(summary.state, summary.text);
      return [
        { label, described: `${id.toUpperCase()}: ${summary.effect}`, chip, note: summary.effect, row: summary.row },
      ];
    });
    return html`<h3>${PAPERS[author].title}</h3>
      ${rows.length > 0 ? html`<tw-lab-figure .rows=${inOrder(rows)}></tw-lab-figure>` : html`<p class="caption">${labStrings.overview.noFigure}</p>`}`;
  }
}
