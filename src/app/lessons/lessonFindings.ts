import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { comparedRule, type KindSum, sumsOfKinds } from '../../environments/watchedTurns.ts';
import { whySpans } from '../../experiments/why.ts';
import { asUpdateNumbers, inSentence, whySentences } from '../../experiments/whySentences.ts';
import { findingOf, isShare } from '../../lessons/expectations.ts';
import type { Expectation, Lesson } from '../../lessons/lesson.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { DEFAULT_VIEW, writeUrl } from '../address/url.ts';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';

/** Number of last updates whose first turns are described. */
const LAST = 5;
/** Share of the first turns of an update above which a sentence explains their kind. */
const MANY = 0.2;

/**
 * Findings of a finished experiment: the expectations of the lesson, their results in the runs, and the rewards of
 * turns.
 */
@customElement('tw-lesson-findings')
export class LessonFindings extends LitElement {
  static override styles = [
    base,
    css`
      .said { max-width: 44rem; font-size: 1rem; line-height: 1.5; }
      .said p + p { margin-top: 0.25rem; }
      h3 { margin: 0.875rem 0 0.25rem; font-size: 0.9375rem; }
      ul { margin: 0; padding-inline-start: 1.25rem; max-width: 44rem; line-height: 1.5; }
      .met::marker { content: '✓  '; }
      .unmet::marker { content: '✗  '; }
      .links { display: grid; gap: 0.25rem; margin-top: 0.75rem; }
      a { color: var(--accent); }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  /** [runs] metrics of each run of the lesson. */
  @property({ attribute: false }) runs: readonly (readonly Metrics[])[] = [];
  @property({ attribute: false }) models: readonly RunModel[] = [];
  /** True if the address sets another batch size than the lesson. */
  @property({ type: Boolean }) sized = false;

  protected override render() {
    return html`${this.renderFindings()} ${this.why()} ${this.links()}`;
  }

  private runAt(name: string): number {
    return this.lesson.runs.findIndex((run) => run.name === name);
  }

  private renderFindings() {
    const texts = lessonStrings.reveal;
    const { environment = 'search' } = this.models[0]?.configuration ?? {};
    const renderFinding = (expectation: Expectation) => {
      const { met, value } = findingOf(expectation, this.runs[this.runAt(expectation.run)] ?? []);
      return html`<li class=${met ? 'met' : 'unmet'}>${expectation.text} ${texts.measured(value, isShare(environment, expectation.line))}
        ${met ? '' : texts.unmet} ${this.sized ? '' : texts.held(expectation.held, expectation.seeds)}</li>`;
    };
    return html`<h3>${texts.purpose}</h3><ul>${this.lesson.expects.map(renderFinding)}</ul>
      ${this.sized ? html`<p class="caption">${texts.sized}</p>` : nothing}`;
  }

  /** Renders sentences about the credit of the watched turns of each run since its last change of the rule. */
  private why() {
    const sentences = this.models.map(({ configuration }, index) => {
      if (!this.lesson.why.includes(this.lesson.runs[index]?.name ?? '')) return [];
      const environment = ENVIRONMENTS[configuration.environment];
      const { watchedTurns, betas } = environment;
      const span = watchedTurns && whySpans({ watchedTurns, momentum: betas[0] }, this.runs[index] ?? []).at(-1);
      if (!watchedTurns || !span) return [];
      const titles = { active: ruleTitle(span.rule), compared: ruleTitle(comparedRule(environment, span.rule)) };
      return whySentences(asUpdateNumbers(span), watchedTurns.counted, titles);
    });
    if (sentences.every(({ length }) => length === 0)) return this.firstTurns();
    return html`<h3>${lessonStrings.reveal.why}</h3>
      <div class="said">${sentences.map((lines, index) => this.ofRun(lines, index))}</div>${this.firstTurns()}`;
  }

  /**
   * Renders the kinds of first turns at the end of the predicted run, if the lesson shows the skill of the environment.
   * A kind with a meaning is explained if it was frequent in one update.
   */
  private firstTurns() {
    const texts = lessonStrings.reveal;
    const index = this.runAt(this.lesson.predict.run);
    const rows = this.runs[index] ?? [];
    const last = rows.slice(-LAST);
    const [first, end] = [last[0], last.at(-1)];
    const { watchedTurns, watched } = ENVIRONMENTS[this.models[index]?.configuration.environment ?? 'search'];
    const skill = watched?.skill?.line;
    if (!first || !end || !watchedTurns || !skill || !this.lesson.lines.includes(skill)) return nothing;
    const kinds = sumsOfKinds(watchedTurns, last);
    if (kinds.some(({ share }) => Number.isNaN(share))) return nothing;
    const shares = kinds.map(({ kind, share }) => [inSentence(kind.title), share] as const);
    return html`<div class="said"><p>${texts.firstTurns(first.step + 1, end.step + 1, shares)}</p>
      ${kinds.map((_, at) => this.peak(rows.map((row) => ({ ...sumsOfKinds(watchedTurns, [row])[at], step: row.step }))))}</div>`;
  }

  /** @param updates [updates] counts of the turns of one kind */
  private peak(updates: readonly (KindSum & { readonly step: number })[]) {
    const { step, share, kind } = updates.reduce((a, b) => (b.share > a.share ? b : a));
    if (!kind.meaning || !(share > MANY)) return nothing;
    return html`<p>${lessonStrings.reveal.peak(step + 1, share, inSentence(kind.title), kind.meaning)}</p>`;
  }

  private ofRun(sentences: readonly string[], index: number) {
    if (sentences.length === 0) return nothing;
    const named = this.models.length > 1;
    return html`<p>${named ? html`<b>${lessonStrings.reveal.ofRun(this.lesson.runs[index]?.label ?? '')}</b> ` : nothing}${sentences.join(' ')}</p>`;
  }

  private links() {
    const { playground } = lessonStrings.reveal;
    const named = this.models.length > 1;
    return html`<p class="said links">${this.models.map(({ link }, index) => {
      const label = named ? `${playground}: ${this.lesson.runs[index]?.label}` : playground;
      return html`<a href=${`${writeUrl(link, DEFAULT_VIEW)}#play`}>${label}</a>`;
    })}</p>`;
  }
}
