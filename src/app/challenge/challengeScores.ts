import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { ruleTitle } from '../../credit/ruleFacts.ts';
import type { ChallengeTask } from '../../experiments/challenge/challengeTask.ts';
import {
  builtInRules,
  judgeRule,
  judgeTruth,
  type Score,
  type ScoreResult,
} from '../../experiments/challenge/judgeRule.ts';
import type { Interval } from '../../training/data/truthReport.ts';
import { two } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { challengeStrings as texts } from '../strings/challengeStrings.ts';

/** Maximum difference of two equal scores. A copy of a rule differs from the rule by rounding. */
const SAME = 1e-9;

type Row = { readonly title: string } & ScoreResult;

/** Scores of a task that do not depend on the custom rule. */
interface References {
  readonly rules: readonly Row[];
  readonly truth: Score;
}
const known = new WeakMap<ChallengeTask, References>();

/** Table of scores in a task: the custom rule, then the built-in rules, then the measured advantages. */
@customElement('tw-challenge-scores')
export class ChallengeScores extends LitElement {
  static override styles = [
    base,
    css`
      .scroll { overflow-x: auto; margin-top: 0.375rem; border: 1px solid var(--line); border-radius: 6px; }
      table { width: 100%; font-variant-numeric: tabular-nums; }
      thead th { border-bottom: 1px solid var(--line-2); white-space: nowrap; }
      td { white-space: nowrap; }
      .own > * { background: var(--note-ground); color: var(--ink); font-weight: 620; }
      .stale > * { opacity: 0.6; }
      .truth > * { border-top: 1px solid var(--line-2); }
      .rank { margin-top: 0.5rem; }
      ul { margin: 0.5rem 0 0; padding-inline-start: 1.125rem; font-size: 0.8125rem; color: var(--ink-2); line-height: 1.45; }
    `,
  ];

  @property({ attribute: false }) task!: ChallengeTask;
  /** Result of the custom rule with the name of its file; undefined if the rule has no result. */
  @property({ attribute: false }) userResult: ({ readonly file: string } & ScoreResult) | undefined;
  /** True if the text of the rule has changed since the result was computed. */
  @property({ type: Boolean }) stale = false;

  protected override render() {
    const { userResult } = this;
    const { rules, truth } = evaluateReferences(this.task);
    const able = rules.flatMap((row) => (row.score ? [{ title: row.title, score: row.score }] : []));
    const unable = rules.filter(({ score }) => !score).map(({ title }) => title);
    return html`<section aria-labelledby="title">
      <h2 id="title">${texts.scores}</h2>
      <div class="scroll" tabindex="0" role="group" aria-labelledby="title"><table>
        <thead><tr>${[texts.rule, texts.correlation, texts.wrong, texts.noAdvantage, texts.cosine].map(
          (head) => html`<th scope="col">${head}</th>`,
        )}</tr></thead>
        <tbody>
          ${userResult?.score ? row(texts.yours(userResult.file), userResult.score, this.stale ? 'own stale' : 'own') : nothing}
          ${able.map(({ title, score }) => row(title, score))}
          ${row(texts.best, truth, 'truth')}
        </tbody></table></div>
      <p class="rank" role="status">${this.renderRanking(able)}</p>
      <ul>${unable.length > 0 ? html`<li>${texts.rejectedRules(unable.join(', '))}</li>` : nothing}
        ${texts.meaning.map((line) => html`<li>${line}</li>`)}</ul>
    </section>`;
  }

  private renderRanking(rivals: readonly { readonly title: string; readonly score: Score }[]): string {
    const { userResult } = this;
    if (!userResult) return texts.noRule;
    const { score: mine } = userResult;
    if (!mine) return texts.rejectedText(userResult.file, userResult.rejection);
    const builtIn = rivals.find(
      ({ score }) => isSame(score.correlation, mine.correlation) && isSame(score.cosine, mine.cosine),
    );
    if (builtIn) return texts.copy(builtIn.title);
    const correlation = (score: Score) => (Number.isNaN(score.correlation.value) ? 0 : score.correlation.value);
    const ahead = rivals.filter(({ score }) => correlation(score) < correlation(mine) - SAME);
    return texts.rank(ahead.length, rivals.length);
  }
}

function evaluateReferences(task: ChallengeTask): References {
  const before = known.get(task);
  if (before) return before;
  const rules = builtInRules(task).map((name) => ({ title: ruleTitle(name), ...judgeRule(task, name) }));
  const references = { rules, truth: judgeTruth(task) };
  known.set(task, references);
  return references;
}

function isSame(a: Interval, b: Interval): boolean {
  return Math.abs(a.value - b.value) < SAME && Math.abs(a.low - b.low) < SAME && Math.abs(a.high - b.high) < SAME;
}

function row(title: string, { correlation, wrong, silent, cosine }: Score, kind = '') {
  return html`<tr class=${kind}><th scope="row">${title}</th><td>${rangeText(correlation)}</td><td>${shareText(wrong)}</td>
    <td>${shareText(silent)}</td><td>${rangeText(cosine)}</td></tr>`;
}

/** Formats a value with its interval, for example `.46 [.31, .67]`. */
function rangeText({ value, low, high }: Interval): string {
  return Number.isNaN(value) ? texts.noDeviation : `${two(value)} [${two(low)}, ${two(high)}]`;
}

/** Formats a share with its interval in per cent, for example `8 % [2, 14]`. */
function shareText({ value, low, high }: Interval): string {
  const percent = (share: number) => (Number.isFinite(share) ? (100 * share).toFixed(0) : '–');
  return `${percent(value)} % [${percent(low)}, ${percent(high)}]`;
}
