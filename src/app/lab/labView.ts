import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { PAPERS } from '../../environments/claim.ts';
import { READER_STATES } from '../../experiments/claims/conclusionText.ts';
import { ViewAddressEvent } from '../address/viewAddress.ts';
import { base, panel } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import {
  AUTHORS,
  CLAIMS,
  claimsIn,
  type LabAddress,
  type LabFilter,
  type ListedClaim,
  readLab,
  stateOf,
  writeLab,
} from './labClaims.ts';
import { conclusionChip, conclusionStyles } from './labFigure.ts';
import '../look/themeSwitch.ts';
import './claimView.ts';
import './labOverview.ts';

/**
 * View of the Lab: overview of all claims, list of claims as cards, or one claim with its runs.
 * @fires place-address when the user changes the filter of the list (ViewAddressEvent)
 */
@customElement('tw-lab')
export class LabView extends LitElement {
  static override styles = [
    base,
    css`
      main { max-width: 76rem; margin: 0 auto; padding: 1rem clamp(0.75rem, 2vw, 1.5rem) 2.5rem; outline: none; }
      h1 { margin: 0 0 0.25rem; font-size: 1.5rem; letter-spacing: -0.02em; }
      a { color: var(--accent); }
      form { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: center; margin: 1rem 0 0.75rem; font-size: 0.875rem; }
      form label { display: inline-flex; gap: 0.375rem; align-items: center; min-width: 0; }
      select { max-width: 100%; }
      .cards { display: grid; gap: 0.75rem; margin: 0; padding: 0; list-style: none;
        grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
      .cards > li { display: grid; }
      .back { margin-bottom: 0.75rem; font-size: 0.875rem; }
      .notice { margin-bottom: 1rem; padding: 0.5rem 0.75rem; border: 1px solid var(--note-line); border-radius: 8px; background: var(--note-ground); }
      footer { display: flex; justify-content: end; max-width: 76rem; margin: 0 auto; padding: 0 clamp(0.75rem, 2vw, 1.5rem) 1.5rem; font-size: 0.8125rem; }
      @media print { form, footer, .back { display: none; } }
    `,
  ];

  /** Parts of the path after `#lab/`. */
  @property({ attribute: false }) path: readonly string[] = [];
  @property({ type: Boolean }) embed = false;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('path')) return;
    const { address } = this;
    const name = address.shows === 'claim' && this.claim ? address.id.toUpperCase() : labStrings.windowTitle;
    document.title = `${name} · Turnwise`;
  }

  protected override render() {
    const { address, claim } = this;
    return html`<main id="main" tabindex="-1">
        ${address.shows === 'list' ? this.list(address.filter) : address.shows === 'overview' ? html`<tw-lab-overview></tw-lab-overview>` : claim ? this.renderClaim() : this.unknown(address)}
      </main>${this.embed ? nothing : html`<footer><tw-theme-switch></tw-theme-switch></footer>`}`;
  }

  private get address(): LabAddress {
    return readLab(this.path);
  }

  private get claim() {
    const { address } = this;
    return address.shows === 'claim' ? CLAIMS.find(({ claim }) => claim.id === address.id)?.claim : undefined;
  }

  private renderClaim() {
    return html`${this.back()}<tw-claim .claim=${this.claim}></tw-claim>`;
  }

  private back() {
    return html`<p class="back"><a href=${writeLab({ shows: 'overview' })}>← ${labStrings.overviewLink}</a></p>`;
  }

  private unknown({ id }: Extract<LabAddress, { shows: 'claim' }>) {
    return html`<p class="notice" role="status">${labStrings.none(id)}</p>${this.list({})}`;
  }

  private list(filter: LabFilter) {
    const texts = labStrings;
    const claims = claimsIn(filter);
    return html`${this.back()}<h1>${texts.list}</h1>
      ${this.filters(filter, claims.length)}
      ${claims.length === 0 ? html`<p>${texts.filter.none} <button class="small" @click=${() => this.choose({})}>${texts.filter.reset}</button></p>` : nothing}
      <ul class="cards">${claims.map((listed) => html`<li><tw-claim-card .listed=${listed}></tw-claim-card></li>`)}</ul>`;
  }

  private filters(filter: LabFilter, visibleCount: number) {
    const texts = labStrings.filter;
    const { author, state } = filter;
    const value = (event: Event) => (event.target as HTMLSelectElement).value;
    return html`<form role="search" aria-label=${texts.label} @submit=${(event: Event) => event.preventDefault()}>
      <label>${texts.paper} <select @change=${(event: Event) => this.choose({ ...filter, author: AUTHORS.find((item) => item === value(event)) })}>
        <option value="" .selected=${author === undefined}>${texts.all}</option>
        ${AUTHORS.map((item) => html`<option value=${item} .selected=${item === author}>${item === 'own' ? texts.customQuestions : PAPERS[item].name}</option>`)}
      </select></label>
      <label>${texts.conclusionHead} <select @change=${(event: Event) => this.choose({ ...filter, state: READER_STATES.find((item) => item === value(event)) })}>
        <option value="" .selected=${state === undefined}>${texts.all}</option>
        ${READER_STATES.map((item) => html`<option value=${item} .selected=${item === state}>${labStrings.states[item]}</option>`)}
      </select></label>
      <span role="status">${texts.claimCount(visibleCount, CLAIMS.length)}</span>
    </form>`;
  }

  private choose(filter: LabFilter): void {
    this.dispatchEvent(new ViewAddressEvent(writeLab({ shows: 'list', filter })));
  }
}

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
