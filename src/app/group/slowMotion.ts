import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { mean } from '../../experiments/statistics.ts';
import type { GroupPush, GroupView, RolloutView, TurnView } from '../../training/data/protocol.ts';
import { isTokenRule, ruleTitle } from '../address/pageTables.ts';
import { plain, shade, signed } from '../drawing/numbers.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { slowStrings } from '../strings/slowStrings.ts';
import { strings } from '../strings/strings.ts';
import { turnCount } from './advantageRanges.ts';

/** Display time of each part during playback, long enough to read its sentence. */
const PART_MS = 3500;

/** Part of the walk through an update. Sampling has one part per turn. */
type Part =
  | { readonly name: 'sample'; readonly turn: number }
  | { readonly name: 'reward' | 'compare' | 'credit' | 'push' };

/** Tolerance for equal rewards. */
const SAME = 1e-9;

const ORDER = ['sample', 'reward', 'compare', 'credit', 'push'] as const;

/** Event of the user closing the walk or requesting another update. */
export class SlowMotionEvent extends pageEvent<'again' | 'close'>('slow-motion') {}

/**
 * Walk through one update with the numbers of one of its groups: sample, reward, compare, credit, push.
 * @fires slow-motion when the user closes the walk or requests another update (SlowMotionEvent)
 */
@customElement('tw-slow-motion')
export class SlowMotion extends LitElement {
  static override styles = [
    base,
    css`
      section { border: 1px solid var(--accent); border-radius: 10px; padding: 0.625rem 0.75rem; margin-bottom: 0.875rem; }
      h3 { font-size: 0.9375rem; margin: 0; }
      .parts { display: flex; flex-wrap: wrap; gap: 0.25rem 0.375rem; list-style: none; margin: 0.5rem 0; padding: 0; font-size: 0.8125rem; }
      .parts li { border: 1px solid var(--line); border-radius: 999px; padding: 0.0625rem 0.625rem; color: var(--ink-2); }
      .parts li[aria-current] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 620; }
      .description { min-height: 3rem; max-width: 62rem; font-size: 0.9375rem; }
      .scroll { overflow-x: auto; }
      table { font-size: 0.8125rem; font-variant-numeric: tabular-nums; border-collapse: collapse; }
      th, td { padding: 0.1875rem 0.75rem 0.1875rem 0; text-align: start; vertical-align: top; font-weight: 400; border-bottom: 1px solid var(--line); }
      thead th, tfoot th { color: var(--ink-2); }
      td { max-width: 16rem; }
      .n { white-space: nowrap; }
      /* On a phone what was written is hidden; the table of the group below has it. */
      @media (max-width: 40rem) { .paid .words { display: none; } th, td { padding-inline-end: 0.5rem; } }
      .n b { padding: 0 0.25rem; border-radius: 4px; }
      .more { background: color-mix(in srgb, var(--more) calc(var(--share) * 60%), transparent); }
      .less { background: color-mix(in srgb, var(--less) calc(var(--share) * 60%), transparent); }
      .new { animation: come 0.6s ease-out; }
      @keyframes come { from { opacity: 0; transform: translateY(-3px); } }
      @media (prefers-reduced-motion: reduce) { .new { animation: none; } }
      .act { display: flex; flex-wrap: wrap; gap: 0.375rem; margin-top: 0.625rem; }
    `,
  ];

  @property({ attribute: false }) group!: GroupView;
  @property({ attribute: false }) push!: GroupPush;
  /** Index of the present part. */
  @state() private at = 0;
  @state() private isAnimating = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('push')) return;
    this.at = 0;
    this.isAnimating = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  protected override updated(): void {
    clearTimeout(this.timer);
    if (!this.isAnimating) return;
    this.timer = setTimeout(() => this.go(this.at + 1), PART_MS);
  }

  private get parts(): readonly Part[] {
    const turns = Array.from({ length: turnCount(this.group) }, (_, turn) => ({
      name: 'sample' as const,
      turn: turn + 1,
    }));
    return [...turns, { name: 'reward' }, { name: 'compare' }, { name: 'credit' }, { name: 'push' }];
  }

  private go(at: number): void {
    const last = this.parts.length - 1;
    this.at = Math.max(0, Math.min(last, at));
    if (at >= last) this.isAnimating = false;
  }

  protected override render() {
    const texts = slowStrings;
    const { parts, at } = this;
    const part = parts[at] ?? parts[0];
    if (!part) return nothing;
    return html`<section aria-labelledby="title">
      <h3 id="title">${texts.title(this.push.step, this.push.group + 1)}</h3>
      <ol class="parts" aria-label=${texts.steps}>
        ${ORDER.map((name) => html`<li aria-current=${name === part.name ? 'step' : nothing}>${texts.names[name]}</li>`)}
      </ol>
      <p class="description" role="status">${this.describe(part)}</p>
      <div class="scroll" tabindex="0" role="region" aria-label=${texts.steps}>${this.table(part)}</div>
      <div class="act">
        <button class="small" ?disabled=${at === 0} @click=${() => this.step(at - 1)}>${texts.back}</button>
        <button class="small" @click=${this.toggle}>${this.isAnimating ? texts.pause : texts.play}</button>
        <button class="small" ?disabled=${at === parts.length - 1} @click=${() => this.step(at + 1)}>${texts.next}</button>
        <button class="small" @click=${() => this.dispatchEvent(new SlowMotionEvent('again'))}>${texts.again}</button>
        <button class="small" @click=${() => this.dispatchEvent(new SlowMotionEvent('close'))}>${texts.close}</button>
      </div>
    </section>`;
  }

  /** Goes to a part and stops the playback, because the user now sets the pace. */
  private step(at: number): void {
    this.isAnimating = false;
    this.go(at);
  }

  private toggle(): void {
    this.isAnimating = !this.isAnimating;
    if (this.isAnimating && this.at === this.parts.length - 1) this.at = 0;
  }

  private describe(part: Part): string {
    const { texts } = slowStrings;
    const rule = ruleTitle(this.group.rule);
    if (part.name === 'sample') return texts.sample(part.turn, this.group.rollouts.length);
    if (part.name === 'reward') return texts.reward;
    if (part.name === 'compare') return isTokenRule(this.group.rule) ? texts.compareCritic : texts.compare(rule);
    const turns = this.group.rollouts.flatMap((rollout, index) =>
      rollout.turns.map(({ advantage }, turn) => ({ advantage: advantage || 0, moved: this.moved(index, turn) })),
    );
    const more = turns.filter(({ advantage }) => advantage > 0);
    const less = turns.filter(({ advantage }) => advantage < 0);
    if (part.name === 'credit')
      return texts.credit(rule, more.length, less.length, turns.length - more.length - less.length);
    const followed = more.filter(({ moved }) => moved > 0).length + less.filter(({ moved }) => moved < 0).length;
    return texts.push(followed, more.length + less.length);
  }

  /** Returns the change of a turn's log-probability by the update [nats]. */
  private moved(rollout: number, turn: number): number {
    return (this.push.after[rollout]?.[turn] ?? Number.NaN) - (this.push.before[rollout]?.[turn] ?? Number.NaN);
  }

  private table(part: Part) {
    const texts = slowStrings;
    const turns = turnCount(this.group);
    const reached = part.name === 'sample' ? part.turn : turns;
    const order = ORDER.indexOf(part.name);
    const [hasRewards, compared, hasCredit, pushed] = [order >= 1, order >= 2, order >= 3, order >= 4];
    const range = (count: number) => Array.from({ length: count }, (_, index) => index);
    const fresh = (name: Part['name'], turn = 0) =>
      name === part.name && (part.name !== 'sample' || turn === part.turn - 1) ? 'new' : '';
    return html`<table class=${hasRewards ? 'paid' : ''}>
      <thead><tr>
        <th scope="col">${texts.rollout}</th>
        ${range(reached).map((turn) => html`<th scope="col" class="words">${texts.turn(turn + 1)}</th>`)}
        ${hasRewards ? html`<th scope="col">${texts.turnReward}</th><th scope="col">${texts.outcome}</th>` : nothing}
        ${hasCredit ? range(turns).map((turn) => html`<th scope="col" title=${texts.advantage(turn + 1)}>${strings.group.advantage(turn + 1)}</th>`) : nothing}
        ${pushed ? range(turns).map((turn) => html`<th scope="col" title=${texts.push(turn + 1)}>${strings.group.probability(turn + 1)}</th>`) : nothing}
      </tr></thead>
      <tbody>${this.group.rollouts.map(
        (rollout, index) => html`<tr>
          <th scope="row">${index + 1}</th>
          ${range(reached).map((turn) => html`<td class="words ${fresh('sample', turn)}">${rollout.turns[turn]?.summary ?? ''}</td>`)}
          ${
            hasRewards
              ? html`<td class="n ${fresh('reward')}">${plain(turnReward(rollout))}</td>
                <td class="n ${fresh('reward')}">${plain(rollout.outcome)}</td>`
              : nothing
          }
          ${hasCredit ? range(turns).map((turn) => this.credit(rollout.turns[turn], fresh('credit'))) : nothing}
          ${pushed ? range(turns).map((turn) => this.probability(index, turn)) : nothing}
        </tr>`,
      )}</tbody>
      ${compared ? this.means(reached, fresh('compare')) : nothing}
    </table>`;
  }

  /** Renders the mean rewards of the group, with which each rollout is compared. */
  private means(turns: number, style: string) {
    const { rollouts } = this.group;
    const cell = (values: readonly number[]) => {
      const center = mean(values);
      const isUniform = values.every((value) => Math.abs(value - center) < SAME);
      return html`<td class="n ${style}">${plain(center)}${isUniform ? ` ${slowStrings.nothing}` : nothing}</td>`;
    };
    return html`<tfoot><tr>
      <th scope="row">${slowStrings.mean}</th>${turns > 0 ? html`<td class="words" colspan=${turns}></td>` : nothing}
      ${cell(rollouts.map(turnReward))}${cell(rollouts.map(({ outcome }) => outcome))}
    </tr></tfoot>`;
  }

  private credit(turn: TurnView | undefined, style: string) {
    if (!turn) return html`<td></td>`;
    const { advantage } = turn;
    const sign = advantage > 0 ? 'more' : advantage < 0 ? 'less' : '';
    return html`<td class="n ${style}"><b class=${sign} style=${`--share: ${Math.abs(shade(advantage))}`}>${signed(advantage)}</b></td>`;
  }

  private probability(rollout: number, turn: number) {
    const [before, after] = [this.push.before[rollout]?.[turn], this.push.after[rollout]?.[turn]];
    if (before === undefined || after === undefined) return html`<td></td>`;
    const arrow = after > before ? '▲' : after < before ? '▼' : '';
    const share = (logProbability: number) => `${(100 * Math.exp(logProbability)).toPrecision(2)} %`;
    return html`<td class="n new" title=${slowStrings.probability(share(before), share(after))}>${slowStrings.times(
      Math.exp(after - before).toFixed(2),
    )} <span aria-hidden="true">${arrow}</span></td>`;
  }
}

/** Returns the sum of the rewards of the turns before the last. */
function turnReward({ turns }: RolloutView): number {
  return turns.slice(0, -1).reduce((sum, { reward }) => sum + reward, 0);
}
