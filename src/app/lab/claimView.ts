import { RESULTS } from 'virtual:lab';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type Claim, type Experiment, PAPERS } from '../../environments/claim.ts';
import type { ClaimResult, ExperimentResult } from '../../experiments/claims/claimResult.ts';
import {
  countedThings,
  countsText,
  forecastText,
  primaryOutcome,
  primaryText,
  readerState,
  stateText,
  unfinishedText,
  withChange,
} from '../../experiments/claims/conclusionText.ts';
import { tableCaption } from '../../experiments/claims/plot.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { findWorld } from '../../training/data/worlds.ts';
import { base } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import './claimRunsPanel.ts';
import './labFigure.ts';
import { conclusionChip, conclusionStyles, countedChips, outcomeChip, outcomeRow } from './labFigure.ts';

/** Page of a claim: source, conclusion, experiments with their tests, and runs on this device. */
@customElement('tw-claim')
export class ClaimView extends LitElement {
  static override styles = [
    base,
    conclusionStyles,
    css`
      article { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; }
      h1 { margin: 0; font-size: 1.375rem; line-height: 1.3; letter-spacing: -0.01em; max-width: 52rem; text-wrap: pretty; }
      .paper { margin-top: 0.25rem; max-width: 52rem; color: var(--ink-2); }
      a { color: var(--accent); }
      section { padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); min-width: 0; }
      section > * + * { margin-top: 0.625rem; }
      h3 { font-size: 0.9375rem; }
      details { font-size: 0.875rem; }
      .reason { font-size: 0.875rem; line-height: 1.5; max-width: 52rem; }
      ul { margin: 0; padding-inline-start: 1.25rem; max-width: 52rem; line-height: 1.5; }
      pre { margin: 0.375rem 0 0; padding: 0.5rem 0.75rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px;
        background: var(--ground); font-size: 0.8125rem; }
      .table { overflow-x: auto; margin-top: 0.375rem; }
      td, th { white-space: nowrap; font-variant-numeric: tabular-nums; }
      .counted { display: grid; gap: 0.375rem; padding: 0; list-style: none; font-size: 0.875rem; }
    `,
  ];

  @property({ attribute: false }) claim!: Claim;
  @state() private result: ClaimResult | undefined;
  @state() private failed = '';
  private requestedName = '';

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('claim') && this.claim.id !== this.requestedName) void this.load();
  }

  protected override render() {
    const texts = labStrings;
    const { claim, result } = this;
    const paper = claim.paper && PAPERS[claim.paper];
    return html`<article>
      <header>
        <p class="caption"><b>${claim.id.toUpperCase()}</b></p>
        <h1>${claim.says}</h1>
        <p class="paper caption">${paper ? html`${paper.title}, ${reference(paper.reference)}, ${texts.paperSource(claim.place, claim.compared ?? '')}. ${claim.quote ? texts.quote(claim.quote) : nothing}` : texts.customSource(claim.place)}</p>
      </header>
      ${RESULTS[claim.id] === undefined ? this.noFile() : this.failed ? this.notLoaded() : result ? this.renderFindings(result) : html`<p role="status">${texts.loading}</p>`}
      ${
        claim.differs.length > 0
          ? html`<section aria-labelledby="differs"><h2 id="differs">${texts.differs}</h2>
              <ul>${claim.differs.map((difference) => html`<li>${difference}</li>`)}</ul></section>`
          : nothing
      }
    </article>`;
  }

  private renderFindings(result: ClaimResult) {
    const { claim } = this;
    return html`${claim.paper ? this.renderConclusion(result) : nothing}${
      claim.missing
        ? html`<section><p>${result.experiments.length > 0 ? labStrings.partly(claim.missing) : labStrings.cannot(claim.missing)}</p></section>`
        : nothing
    }
    ${result.experiments.map((experiment) =>
      this.experiment(
        experiment,
        claim.experiments.find(({ name }) => name === experiment.name),
      ),
    )}`;
  }

  private renderConclusion(result: ClaimResult) {
    const primary = primaryOutcome(result);
    const { changed } = this.claim;
    return html`<section><div class="conclusions"><span>${labStrings.conclusionHead}</span> ${conclusionChip(readerState(result), withChange(stateText(result), this.claim))}</div>
      ${primary ? html`<p>${primaryText(primary)} ${forecastText(primary)} ${unfinishedText(result)}</p>` : nothing}
      ${changed ? html`<p>${labStrings.changed(changed)}</p>` : nothing}</section>`;
  }

  /** Renders a claim without a result file: experiments that can run here, and the commands that create a result. */
  private noFile() {
    const { claim } = this;
    return html`<section><p>${claim.missing && claim.experiments.length === 0 ? labStrings.cannot(claim.missing) : labStrings.noFile}</p>
        ${claim.experiments.length > 0 ? html`<pre tabindex="0">${labStrings.commands(claim.id)}</pre>` : nothing}</section>
      ${claim.experiments.map(
        (
          experiment,
        ) => html`<section aria-label=${labStrings.experiment(experiment.name)}><h2>${labStrings.experiment(experiment.name)}</h2>
          <tw-claim-runs .claim=${claim} .experiment=${experiment}></tw-claim-runs></section>`,
      )}`;
  }

  private notLoaded() {
    return html`<p role="alert">${labStrings.notLoaded(this.failed)} <button @click=${this.load}>${labStrings.again}</button></p>`;
  }

  private experiment(result: ExperimentResult, experiment: Experiment | undefined) {
    const texts = labStrings;
    const { name, definition, runs, outcomes } = result;
    const paired = outcomes.flatMap((outcome) => (outcome.kind === 'paired' ? [outcome] : []));
    const devices = [...new Set(runs.map(({ device }) => device))].join('; ');
    const world = findWorld(definition.environment as EnvironmentName, definition.world);
    const statuses = runs.length === 0 ? [] : outcomes.map(({ corrected }) => corrected.status);
    return html`<section aria-label=${texts.experiment(name)}>
      <h2>${texts.experiment(name)}</h2>
      <div class="conclusions"><span>${texts.tests}</span> ${countedChips(statuses)}</div>
      ${
        runs.length > 0
          ? html`${world ? html`<p>${texts.world(world)}</p>` : nothing}
              <p class="caption">${texts.about(definition.steps, runs.length)} ${texts.device(devices)}</p>`
          : nothing
      }
      ${this.missing(result)}
      ${paired.length > 0 ? html`<tw-lab-figure .rows=${paired.map(outcomeRow)}></tw-lab-figure>` : nothing}
      ${this.counted(result)} ${this.numbers(result)} ${this.reasons(result)}
      ${experiment ? html`<tw-claim-runs .claim=${this.claim} .experiment=${experiment} .result=${result}></tw-claim-runs>` : nothing}
      ${
        runs.length > 0
          ? html`<details><summary>${texts.same}</summary><pre tabindex="0">${texts.check(this.claim.id, result.command)}</pre></details>`
          : nothing
      }
    </section>`;
  }

  /** Renders the reasons why a test has another result here than in the paper, if there is such a test. */
  private reasons({ name, outcomes }: ExperimentResult) {
    const reasons = this.claim.reasons?.[name];
    const fails = outcomes.some(({ corrected: { status } }) => status === 'no such gain' || status === 'reverse');
    return reasons && fails
      ? html`<h3>${labStrings.reasons}</h3><p class="reason">${reasons.replace(/[`*]/g, '')}</p>`
      : nothing;
  }

  private missing({ runs, missing, hours }: ExperimentResult) {
    const texts = labStrings;
    if (missing === 0) return nothing;
    return html`<p>${runs.length === 0 ? texts.notRun(missing, hours) : texts.missingRuns(missing, hours)} ${texts.commandsIntro}</p>
      <pre tabindex="0">${texts.commands(this.claim.id)}</pre>`;
  }

  private counted({ outcomes }: ExperimentResult) {
    const counted = outcomes.flatMap((outcome) => (outcome.kind === 'counted' ? [outcome] : []));
    if (counted.length === 0) return nothing;
    return html`<h3>${labStrings.counts}</h3>
      <ul class="counted">${counted.map(
        (
          outcome,
        ) => html`<li><span class="conclusions">${outcomeChip(outcome)}<span>${outcome.test.statement}</span></span>
          <span class="caption">${countsText(outcome.counts, countedThings(outcome.test))}</span></li>`,
      )}</ul>`;
  }

  private numbers({ table }: ExperimentResult) {
    if (!table) return nothing;
    return html`<details><summary>${labStrings.numbers}</summary>
      <div class="table" tabindex="0" role="region" aria-label=${labStrings.numbers}><table>
        <thead><tr>${table.head.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
        <tbody>${table.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
      </table></div><p class="caption">${tableCaption(table)}</p></details>`;
  }

  private load = async (): Promise<void> => {
    const { id } = this.claim;
    this.requestedName = id;
    this.failed = '';
    this.result = undefined;
    try {
      const loaded = await RESULTS[id]?.load();
      if (this.requestedName === id) this.result = loaded?.default;
    } catch (error) {
      if (this.requestedName === id) this.failed = error instanceof Error ? error.message : String(error);
    }
  };
}

/** Renders the reference of a paper. An arXiv number is a link. */
function reference(text: string) {
  const [before, number] = text.split('arXiv ');
  return number
    ? html`${before}<a href=${`https://arxiv.org/abs/${number}`} rel="noopener" target="_blank">arXiv ${number}</a>`
    : text;
}
