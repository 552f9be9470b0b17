import { css, html, LitElement } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { RULE_FACTS } from '../../credit/ruleList.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { RECENT, type StorySentence } from '../../environments/story.ts';
import { ruleTitle, sharesInRollout } from '../address/pageTables.ts';
import { CHARTS } from '../curves/chartDefinitions.ts';
import { recordedChange } from '../curves/chartMarks.ts';
import { metricOf } from '../curves/series.ts';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { sentenceStrings } from '../strings/storyStrings.ts';
import { strings } from '../strings/strings.ts';

/** First update at which the page suggests the other rule. */
const SUGGESTED_FROM = 25;

/** Maximum number of words of a sentence. */
const LIMIT = 20;

/** Fields of a run that a sentence reads. */
export type DescribedRun = Pick<RunModel, 'configuration' | 'controls' | 'metrics' | 'step' | 'events' | 'status'>;

/**
 * Returns the inactive rule of the toggle as a suggestion; undefined before update 25, after a change of the rule, or
 * if the active rule is not in the toggle.
 */
export function suggestedRule({ configuration, controls, events, step }: DescribedRun): string | undefined {
  const toggle = ENVIRONMENTS[configuration.environment].pinned.slice(0, 2);
  const isChanged =
    configuration.schedule.some(({ changes }) => 'rule' in changes) || events.some(({ changes }) => 'rule' in changes);
  if (step < SUGGESTED_FROM || isChanged || !toggle.includes(String(controls.rule))) return undefined;
  return toggle.find((rule) => rule !== controls.rule);
}

/**
 * Describes the current state of a run in one sentence of at most 20 words. A suggestion of another rule can follow.
 */
export function runSentence(run: DescribedRun): StorySentence {
  const { configuration, controls, metrics, events } = run;
  const { pinned, story } = ENVIRONMENTS[configuration.environment];
  const rule = String(controls.rule);
  const since = events.findLast(({ changes }) => 'rule' in changes)?.step;
  const underRule = since === undefined ? metrics : metrics.filter(({ step }) => step >= since);
  const toggle = pinned.slice(0, 2);
  const specific = toggle.includes(rule)
    ? story?.({
        ...{ rule: ruleTitle(rule), sharesInRollout: sharesInRollout(rule), since, recent: underRule.slice(-RECENT) },
        alternative: ruleTitle(toggle.find((name) => name !== rule) ?? rule),
        before: since === undefined ? [] : metrics.filter(({ step }) => step < since),
        isRecorded: typeof recordedChange(run) === 'number',
        evaluation: metrics.findLast((row) => row.heldOut !== null)?.heldOut ?? null,
      })
    : undefined;
  const sentence = specific ?? plainSentence(run, rule, since);
  const suggested = suggestedRule(run);
  if (suggested === undefined) return sentence;
  return {
    kind: `${sentence.kind}, suggests`,
    text: `${sentence.text} ${sentenceStrings.press(ruleTitle(suggested))}`,
  };
}

/** Describes the active rule, and the latest value of the first line of the main chart. */
function plainSentence(
  { configuration, metrics }: DescribedRun,
  rule: string,
  since: number | undefined,
): StorySentence {
  const texts = sentenceStrings;
  const { series, format } = CHARTS[configuration.environment].main;
  const [line] = series;
  const last = metrics.at(-1);
  const value = line && last ? metricOf(last, line.key) : Number.NaN;
  const title = ruleTitle(rule);
  const subject = since === undefined ? title : texts.since(title, since);
  const idea = RULE_FACTS.find(({ name }) => name === rule)?.idea ?? '';
  if (strings.rule.lines[rule] === undefined && idea !== '' && isShort(`${subject} ${idea}`)) {
    return { kind: `rule ${rule}`, text: texts.idea(subject, idea) };
  }
  const credit = strings.rule.lines[rule] ?? (sharesInRollout(rule) ? texts.shared : texts.separate);
  if (!last) return { kind: 'start', text: texts.credit(subject, credit) };
  const figure = line && Number.isFinite(value) ? texts.figure(line.label, format(value)) : '';
  return { kind: since === undefined ? 'kept' : 'pressed', text: `${texts.credit(subject, credit)} ${figure}`.trim() };
}

/** Returns true if a text has at most LIMIT words. */
function isShort(text: string): boolean {
  return text.split(/\s+/).length <= LIMIT;
}

/** One sentence about the current state of a run. Screen readers announce it only when its kind changes. */
@customElement('tw-sentence')
export class SentenceLine extends LitElement {
  static override styles = [
    base,
    css`
      @media (max-width: 640px) { p:first-child { min-height: 3lh; } }
      p { min-height: 2lh; max-width: 44rem; font-size: 1.0625rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
    `,
  ];

  @property({ attribute: false }) run!: RunModel;
  /** Number that changes with the run. Lit does not detect changes inside the run, which stays the same object. */
  @property({ type: Number }) revision = 0;
  @state() private announced = { kind: '', text: '' };

  protected override render() {
    const sentence = runSentence(this.run);
    if (sentence.kind !== this.announced.kind) this.announced = sentence;
    return html`<p aria-hidden="true">${sentence.text}</p>
      <p class="visually-hidden" role="status">${this.announced.text}</p>`;
  }
}

/**
 * Returns the text of the live region of the page. It reports the status of a run and its recent events, not single
 * updates.
 */
export function announcement({ status, step, appliedEvents }: RunModel): string {
  const event = appliedEvents.at(-1);
  const recent = event && step - event.step < 5 ? `${strings.status.step(String(event.step))}: ${event.text}` : '';
  if (status === 'playing') return recent || strings.status.announceTraining;
  if (status === 'paused') return strings.status.announcePaused(step);
  return strings.status[status];
}
