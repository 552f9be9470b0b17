import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { RULE_FACTS } from '../../credit/ruleList.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { TourPart } from '../../environments/story.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { isTree } from '../../rollouts/forest.ts';
import { groupUpdate } from '../../rollouts/rolloutBatch.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { worldOf, worldsOf } from '../../training/data/worlds.ts';
import { ruleTitle, sharesInRollout } from '../address/pageTables.ts';
import { shade, signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { pictureStrings } from '../strings/storyStrings.ts';
import {
  type CreditBar,
  creditBars,
  differingOutcomes,
  hasNoSignal,
  type Lane,
  type LaneBox,
  type PicturedGroup,
  picturedGroup,
} from './lanes.ts';
import firstOpening from './opening/search.json' with { type: 'json' };
import { pictureStyles } from './pictureStyles.ts';

/** Minimum time for which a group is shown [ms]. */
const EVERY_MS = 2000;
/** Maximum number of lanes on a wide screen and on a narrow screen. */
const LIMIT = 8;
const NARROW = 3;
/** Number of turns above which the boxes are too narrow for numbers. */
const DENSE = 4;

/** Request to show one attempt of a group. `rollout` is the index of the attempt. */
export class AttemptEvent extends CustomEvent<{ readonly group: GroupView; readonly rollout: number }> {
  constructor(group: GroupView, rollout: number) {
    super('attempt', { detail: { group, rollout }, bubbles: true, composed: true });
  }
}

/**
 * Picture of a group: one lane per attempt, with the credit of a rule below its boxes. The picture does not change to
 * the next group while it has the pointer or the focus.
 * @fires attempt when an attempt is opened (AttemptEvent)
 */
@customElement('tw-picture')
export class GroupPicture extends LitElement {
  static override styles = [base, pictureStyles];

  @property({ attribute: false }) group: GroupView | undefined;
  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  @property({ attribute: false }) settings: ParameterValues = {};
  @property({ attribute: false }) controls: ParameterValues = {};
  /** Rule whose credit is shown; empty for the active rule. */
  @property() preview = '';
  /** Highlighted part, for which the other parts fade; empty if no part is highlighted. */
  @property() stressed: TourPart | '' = '';
  /** True if the picture must not change to the next group. */
  @property({ type: Boolean }) pinned = false;
  /** Function that computes the credit; undefined until its code is loaded, which happens after the first picture. */
  @state() private credit: typeof import('./laneCredit.ts').laneCredit | undefined;
  @state() private pictured: PicturedGroup | undefined;
  /** Index of the lane that is in the tab order. Arrow keys change it. */
  @state() private current = 0;
  private view: GroupView | undefined;
  private startedAt = 0;
  private isPointed = false;
  private isFocused = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('pointerenter', this.point);
    this.addEventListener('pointerleave', this.point);
    this.addEventListener('focusin', this.focusChange);
    this.addEventListener('focusout', this.focusChange);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  protected override firstUpdated(): void {
    void import('./laneCredit.ts').then(({ laneCredit }) => {
      this.credit = laneCredit;
    });
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const { group, view } = this;
    if (!group) {
      if (view || changed.has('environment') || changed.has('settings')) this.show(undefined);
      return;
    }
    if (group === view || (view && (this.isPointed || this.isFocused || (this.pinned && this.isReadable)))) return;
    const wait = view ? this.startedAt + EVERY_MS - performance.now() : 0;
    if (wait <= 0) this.show(group);
    else
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.requestUpdate();
      }, wait);
  }

  protected override render() {
    const texts = pictureStrings;
    const { pictured, view } = this;
    if (!pictured)
      return html`<section>${this.hasOpening ? nothing : html`<p class="caption">${texts.noGroup}</p>`}</section>`;
    const { lanes, question } = pictured;
    const rule = this.preview || String(this.controls.rule ?? '');
    const advantage = this.advantages(pictured, rule);
    const turns = Math.max(1, ...lanes.map(({ boxes }) => boxes.length));
    const isDense = turns > DENSE;
    const outcomes = differingOutcomes(pictured);
    const bars = (lane: Lane) => (advantage ? creditBars(lane, advantage, sharesInRollout(rule)) : []);
    return html`<section aria-labelledby="title" data-stressed=${this.stressed || nothing}>
      <header>
        <h2 id="title" title=${question}>${texts.title(lanes.length)} <q>${question}</q></h2>
        <span class="caption when">${view ? groupUpdate(view) : texts.opening}</span>
      </header>
      ${keyed(
        pictured,
        html`<ol class=${isDense ? 'dense' : ''} style=${`--turns: ${turns}`} @keydown=${this.move}>
          ${lanes.slice(0, LIMIT).map((lane, index) => this.lane(lane, index, turns, bars(lane), outcomes?.[index]))}
        </ol>`,
      )}
      <footer>
        <span class="key">${texts.moreLikely}</span><span class="key less">${texts.lessLikely}</span>
        ${isDense ? html`<span class="letters">${texts.letters(boxTexts(lanes))}</span>` : nothing}
        ${moreLanes('wide', lanes.length - LIMIT)} ${moreLanes('narrow', lanes.length - NARROW)}
        <span class="note" role="status">${this.note(rule, advantage)}</span>
      </footer>
    </section>`;
  }

  private lane(lane: Lane, index: number, turns: number, bars: readonly CreditBar[], outcome?: number) {
    const texts = pictureStrings;
    const count = Math.min(LIMIT, this.pictured?.lanes.length ?? 0);
    // Narrow screens show the first lanes and the last lane, which differs most from the first one.
    const isExtra = index >= NARROW - 1 && index < count - 1;
    const hasReply = turns === 2 && this.pictured?.lanes.some(({ boxes: [first] }) => first?.reply !== undefined);
    const result = lane.isSolved ? texts.solved : texts.unsolved;
    const content = html`<span class="number">${hidden(texts.attempt)}${lane.number}</span>
      <span class="turns ${hasReply ? 'replied' : ''}">
        ${lane.boxes.map((box, at) => this.box(box, at))} ${bars.map((bar) => this.bar(bar, turns))}
      </span>
      <span class="mark ${lane.isSolved ? 'yes' : ''}"><span aria-hidden="true">${lane.isSolved ? '✓' : '✗'}</span>${hidden(result)}${
        outcome === undefined
          ? nothing
          : html`<small title=${texts.outcome}>${hidden(texts.outcome)}${Number(outcome.toFixed(2))}</small>`
      }</span>`;
    // The opening group is not a group of the run, so no attempt of it can be opened.
    return html`<li class=${isExtra ? 'later' : ''}>${
      this.view
        ? html`<button class="lane" tabindex=${index === this.current ? 0 : -1} title=${texts.keys}
            @focus=${() => (this.current = index)} @click=${() => this.open(lane)}>${content}</button>`
        : html`<div class="lane">${content}</div>`
    }</li>`;
  }

  private box({ kind, text, reply, summary, passed, meeting }: LaneBox, at: number) {
    const texts = pictureStrings;
    const letter = meeting ? html`<sup title=${texts.meeting(meeting)}>${meeting}</sup>` : nothing;
    const glass = html`<svg viewBox="0 0 12 12" aria-hidden="true"><circle cx="5" cy="5" r="3.5" /><path d="M8 8l3 3" /></svg>`;
    const tests = passed?.map((isPassed) => html`<i class=${isPassed ? 'yes' : ''}></i>`);
    const description = passed && texts.passed(passed.filter(Boolean).length, passed.length);
    return html`<span class="cell" style=${`grid-column: ${at + 1}; --at: ${at}`} title=${description ?? summary}>
      <span class="box ${kind} ${tests ? 'tests' : ''}">${reply === undefined ? nothing : glass}${description ? hidden(description) : nothing}${
        tests ?? html`<span>${text ? first(text) : at + 1}</span>`
      }${letter}</span>
      ${reply === undefined ? nothing : html`<span class="arrow">→</span><span class="reply">${reply}</span>`}
      </span>`;
  }

  private bar({ from, to, advantage }: CreditBar, turns: number) {
    const sign = advantage < 0 ? 'less' : 'more';
    // The advantages of many short steps are small, so their bars are drawn at twice the length.
    const share = Math.abs(shade(turns > DENSE && from === to ? 2 * advantage : advantage));
    const style = `grid-column: ${from + 1} / ${to + 2}; --back: ${turns - 1 - to}; --share: ${share}`;
    return html`<span class="bar ${sign}" style=${style}>${hidden(pictureStrings.credit)}<i></i>${
      turns > DENSE && from === to ? hidden(figure(advantage)) : html`<b>${figure(advantage)}</b>`
    }</span>`;
  }

  /** True if the displayed rule can read the displayed group. */
  private get isReadable(): boolean {
    const rule = this.preview || String(this.controls.rule ?? '');
    return !this.pictured || this.advantages(this.pictured, rule) !== undefined;
  }

  /**
   * Returns the advantages of a group under a rule. Before the code of the rules is loaded, the advantages are the ones
   * that the update used; undefined if the update used another rule.
   */
  private advantages({ forest, recorded }: PicturedGroup, rule: string): ArrayLike<number> | undefined {
    const computed = this.credit?.(forest, rule, this.controls);
    return computed ?? (recorded.rule === rule ? recorded.advantage : undefined);
  }

  private note(rule: string, advantage: ArrayLike<number> | undefined): string {
    const texts = pictureStrings;
    if (!advantage) {
      if (!this.credit) return '';
      const isForChains = RULE_FACTS.find(({ name }) => name === rule)?.input === 'trajectories';
      const isBranched = isForChains && this.pictured !== undefined && isTree(this.pictured.forest);
      return (isBranched ? texts.branched : texts.unreadable)(ruleTitle(rule));
    }
    if (hasNoSignal(advantage)) return texts.equal(this.pictured?.lanes.length ?? 0);
    return rule === this.controls.rule ? '' : texts.preview(ruleTitle(rule));
  }

  private show(group: GroupView | undefined): void {
    const { environment } = this;
    this.view = group;
    this.startedAt = performance.now();
    this.current = 0;
    if (group) this.pictured = picturedGroup(group, ENVIRONMENTS[environment]);
    else if (!this.hasOpening) this.pictured = undefined;
    else if (environment === DEFAULT_ENVIRONMENT) this.pictured = FIRST_OPENING;
    else void this.loadOpening(environment);
  }

  /** True if the settings select the world in which the opening groups were recorded. */
  private get hasOpening(): boolean {
    const { environment, settings } = this;
    return worldOf({ environment, settings })?.name === worldsOf(environment)[0]?.name;
  }

  private async loadOpening(environment: EnvironmentName): Promise<void> {
    this.pictured = undefined;
    const opening = await openingGroup(environment);
    const isCurrent = !this.view && environment === this.environment && this.hasOpening;
    if (isCurrent) this.pictured = opening;
  }

  private open({ number }: Lane): void {
    if (this.view) this.dispatchEvent(new AttemptEvent(this.view, number - 1));
  }

  private move(event: KeyboardEvent): void {
    const lanes = [...this.renderRoot.querySelectorAll<HTMLElement>('.lane')].filter((lane) =>
      lane.checkVisibility({ visibilityProperty: true }),
    );
    const last = lanes.length - 1;
    const to = { ArrowDown: this.current + 1, ArrowUp: this.current - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    lanes[Math.max(0, Math.min(last, to))]?.focus();
  }

  private point = (event: PointerEvent): void => {
    this.isPointed = event.type === 'pointerenter';
    this.requestUpdate();
  };

  private focusChange = (event: FocusEvent): void => {
    this.isFocused = event.type === 'focusin';
    this.requestUpdate();
  };
}

/** Renders the text of a box. Narrow screens show only its first letter if the group has many turns. */
const first = (text: string) => html`${text.charAt(0)}<span class="rest">${text.slice(1)}</span>`;
const boxTexts = (lanes: readonly Lane[]) => [...new Set(lanes.flatMap(({ boxes }) => boxes.map(({ text }) => text)))];

/** Renders the number of lanes that a wide or a narrow screen does not show. */
const moreLanes = (screen: 'wide' | 'narrow', count: number) =>
  count > 0 ? html`<span class=${screen}>${pictureStrings.more(count)}</span>` : nothing;

/** Renders a text for screen readers only. */
const hidden = (text: string) => html`<span class="visually-hidden">${text} </span>`;

function figure(advantage: number): string {
  return Number.isNaN(advantage) ? pictureStrings.pruned : signed(advantage, 1);
}

const FILES = import.meta.glob<PicturedGroup>('./opening/*.json', { import: 'default' });

/** Opening group of the default environment. It is in the bundle of the first load. */
const FIRST_OPENING = firstOpening as unknown as PicturedGroup;

/**
 * Loads the opening group of an environment: a group of the first batch that its warm start samples.
 * `npm run record:opening` records the groups.
 * @returns undefined if the environment has no recorded group
 */
export async function openingGroup(environment: EnvironmentName): Promise<PicturedGroup | undefined> {
  return environment === DEFAULT_ENVIRONMENT ? FIRST_OPENING : FILES[`./opening/${environment}.json`]?.();
}
