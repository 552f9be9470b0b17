import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import {
  firstToRead,
  GROUP_SORTS,
  type GroupSignals,
  type GroupSort,
  sortedGroups,
} from '../../diagnosis/diagnosis.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import { groupName } from '../../rollouts/rolloutBatch.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { ViewAddressEvent, writeViewAddress } from '../address/viewAddress.ts';
import { base, panel } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import {
  type ChoiceEvent,
  type CreditChoice,
  liveView,
  MAX_DRAWN_TURNS,
  runChoice,
  selectSupportedRule,
  type TurnEvent,
  type ViewKind,
  viewsOf,
} from './choice.ts';
import { type Inspected, inspect, inspectView } from './inspected.ts';
import {
  type GroupLinkEvent,
  type InspectChoice,
  inspectAddress,
  type LocatedFinding,
  locatedFindings,
  readInspectPath,
  signalLines,
} from './logFindings.ts';
import './inspectedGroup.ts';
import type { RolloutFileEvent } from './rolloutFile.ts';
import '../glossary/panelGlossary.ts';
import './rolloutFile.ts';

/**
 * Inspector: shows a group of rollouts, from a file or from the run, under all credit rules. A file opens at the group
 * that the link or the diagnosis selects.
 * @fires place-address when the order or the group changes (ViewAddressEvent)
 */
@customElement('tw-inspector')
export class Inspector extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      .bar { display: flex; flex-wrap: wrap; gap: 0.375rem 1rem; align-items: center; margin: 0.75rem 0;
        font-size: 0.875rem; }
      .stepper { display: inline-flex; gap: 0.375rem; align-items: center; flex-wrap: wrap; }
      .stepper input { width: 4.5rem; }
      .signals { margin-bottom: 0.75rem; }
      .sort { display: inline-flex; flex-wrap: wrap; gap: 0.375rem; align-items: center; }
      .sort select { max-width: 100%; }
      .id { overflow-wrap: anywhere; }
      .note { max-width: 62rem; margin: 0 0 0.75rem; font-size: 0.875rem; overflow-wrap: anywhere; }
      .views { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; border: 0; margin: 0; padding: 0; }
      .views legend { float: inline-start; padding: 0; margin-inline-end: 0.5rem; color: var(--ink-2); }
      .views label { display: inline-flex; gap: 0.375rem; align-items: center; }
    `,
  ];

  /** Displayed group of the run; undefined if the run has no group. */
  @property({ attribute: false }) live: GroupView | undefined;
  /** Controls of the run. The group of the run opens with the rule and the parameters of the run. */
  @property({ attribute: false }) controls: ParameterValues = {};
  @state() private name = '';
  /** Parts of the address after `#inspect/`; undefined in views whose address contains no group. */
  @property({ attribute: false }) path: readonly string[] | undefined;
  @state() private groups: readonly Group[] = [];
  private turns = 0;
  /** Displayed group. */
  @state() private inspected: Inspected | undefined;
  /** Index of the displayed group in the file. */
  @state() private at = 0;
  /** [groups] values by which groups are sorted; undefined for the group of a run. */
  private signals: readonly GroupSignals[] | undefined;
  private findings: readonly LocatedFinding[] | undefined;
  @state() private sort: GroupSort = 'file';
  /** [groups] indices of the groups in the selected order. */
  private order: readonly number[] = [];
  /** Selection of a link. It applies to the next file that the user opens. */
  private linked: InspectChoice = { problems: [] };
  @state() private linkProblems: readonly string[] = [];
  /** Last path that this element wrote into the address. */
  private written = '';
  @state() private choice: CreditChoice = { rule: '', values: {} };
  @state() private turn: number | undefined;
  /** Rule that the user selected. It remains selected for all groups that it can read. */
  private picked = '';
  private inspectGroup: (group: Group) => Inspected = inspect;
  /** View that the user selected. If undefined or not supported by the group, the first supported view is shown. */
  @state() private requestedView: ViewKind | undefined;

  protected override render() {
    const texts = inspectorStrings;
    const { inspected } = this;
    return html`<section aria-labelledby="title">
      <header><h2 id="title">${texts.title}</h2><span class="caption">${texts.caption}</span>
        <tw-words-here panel="inspector"></tw-words-here></header>
      <tw-rollout-file .open=${this.name} ?live=${this.live !== undefined} @rollout-file=${this.open}
        @take-live=${this.useLiveGroup}></tw-rollout-file>
      ${
        this.findings
          ? html`<tw-log-findings .findings=${this.findings} .sort=${this.sort} @group-link=${this.follow}></tw-log-findings>`
          : nothing
      }
      ${inspected ? this.content(inspected) : nothing}
    </section>`;
  }

  private content(inspected: Inspected) {
    const { note } = inspected.group;
    const views = viewsOf(inspected);
    const view = views.find((kind) => kind === this.requestedView) ?? views[0];
    return html`<div @credit-choice=${this.choose} @turn-choice=${this.openTurn}>
      ${this.bar(inspected, views, view)}
      ${typeof note === 'string' ? html`<p class="note">${note}</p>` : nothing}
      <tw-inspected-group .inspected=${inspected} .choice=${this.choice} .turn=${this.turn} .view=${view ?? ''}>
      </tw-inspected-group>
    </div>`;
  }

  private bar({ group }: Inspected, views: readonly ViewKind[], view: ViewKind) {
    const texts = inspectorStrings;
    const { rank } = this;
    const last = this.groups.length - 1;
    return html`<div class="bar">
      <span class="id" role="status">${texts.summary(this.name, this.groups.length, this.turns)}</span>
      <span class="stepper">
        <label for="group">${texts.group}</label>
        <button class="small" aria-label=${texts.previous} ?disabled=${rank === 0}
          @click=${() => this.go(this.order[rank - 1])}>←</button>
        <input id="group" type="number" min="1" max=${last + 1} .value=${String(this.at + 1)} @change=${this.type} />
        <button class="small" aria-label=${texts.next} ?disabled=${rank === last}
          @click=${() => this.go(this.order[rank + 1])}>→</button>
        <span>${texts.groupOf(last + 1)}</span>
        ${this.signals ? html`<code class="id">${group.id}</code>` : nothing}
      </span>
      ${this.sorting()}
      ${
        views.length > 1
          ? html`<fieldset class="views"><legend>${texts.view}</legend>
              ${views.map(
                (kind) => html`<label><input type="radio" name="view" .checked=${kind === view}
                  @change=${() => this.chooseView(kind)} />${texts.views[kind]}</label>`,
              )}</fieldset>`
          : nothing
      }
      ${
        group.turns.length > MAX_DRAWN_TURNS
          ? html`<span class="caption">${texts.tooLarge(group.turns.length, MAX_DRAWN_TURNS)}</span>`
          : nothing
      }
    </div>
    ${this.linkProblems.map((problem) => html`<p class="caption" role="status">${problem}</p>`)}
    ${
      this.signals
        ? html`<p class="caption signals">${signalLines(this.signals[this.at], this.sort, rank, this.groups.length).join(' ')}</p>`
        : nothing
    }`;
  }

  /** Position of the displayed group in the selected order, from 0. */
  private get rank(): number {
    return this.order.indexOf(this.at);
  }

  private sorting() {
    const { label, names } = inspectorStrings.sort;
    if (!this.signals || this.groups.length < 2) return nothing;
    return html`<label class="sort">${label}
      <select @change=${this.chooseSort}>${GROUP_SORTS.map(
        (sort) => html`<option value=${sort} ?selected=${sort === this.sort}>${names[sort]}</option>`,
      )}</select></label>`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('path') || !this.path?.length || this.path.join('/') === this.written) return;
    this.linked = readInspectPath(this.path);
    if (this.signals) this.goToLink();
  }

  private open(event: RolloutFileEvent): void {
    const { name, groups, signals, findings } = event.detail;
    // The parameters of the run do not apply to a file.
    if (this.choice.start) this.choice = { rule: this.choice.rule, values: {} };
    this.load(name, groups, inspect);
    this.signals = signals;
    const ids = groups.map(({ id }) => id);
    this.findings = findings && locatedFindings(findings, ids);
    this.goToLink();
  }

  private useLiveGroup(): void {
    if (!this.live) return;
    const run = runChoice(this.live.rule, this.controls);
    this.choice = { ...run, start: run.values };
    this.picked = this.live.rule;
    const inspected = inspectView(this.live);
    this.load(inspectorStrings.liveName(groupName(this.live)), [inspected.group], () => inspected);
    this.arrange('file');
    this.show(0);
    // The same view as in the group panel of the run.
    this.requestedView = liveView(this.live, inspected);
    if (this.path === undefined) return;
    // A link cannot address the group of a run.
    this.written = '';
    this.dispatchEvent(new ViewAddressEvent(writeViewAddress('inspect')));
  }

  private load(name: string, groups: readonly Group[], inspectGroup: (group: Group) => Inspected): void {
    this.name = name;
    this.groups = groups;
    this.turns = groups.reduce((sum, group) => sum + group.turns.length, 0);
    this.inspectGroup = inspectGroup;
    this.requestedView = undefined;
    this.inspected = undefined;
    this.signals = undefined;
    this.findings = undefined;
    this.linkProblems = [];
  }

  /** Shows the group that a link selects, or else the first group to read. */
  private goToLink(): void {
    const { sort = 'file', group, problems } = this.linked;
    const isBeyond = group !== undefined && group > this.groups.length;
    this.linked = { problems: [] };
    this.arrange(sort);
    this.go(group === undefined || isBeyond ? firstToRead(this.signals ?? []) : group - 1);
    this.linkProblems = isBeyond ? [...problems, inspectorStrings.link.beyond(group, this.groups.length)] : problems;
  }

  private arrange(sort: GroupSort): void {
    this.sort = this.signals ? sort : 'file';
    this.order = this.signals ? sortedGroups(this.signals, sort) : this.groups.map((_, index) => index);
  }

  private chooseSort(event: Event): void {
    this.arrange((event.target as HTMLSelectElement).value as GroupSort);
    this.go(this.order[0]);
  }

  private async follow(event: GroupLinkEvent): Promise<void> {
    this.go(event.detail);
    await this.updateComplete;
    const bar = this.renderRoot.querySelector('.bar');
    bar?.scrollIntoView({ block: 'start' });
    bar?.querySelector<HTMLElement>('#group')?.focus({ preventScroll: true });
  }

  /** Shows a group and writes it into the address. */
  private go(at: number): void {
    this.show(at);
    this.linkProblems = [];
    if (this.path === undefined) return;
    const address = inspectAddress(this.sort, this.at);
    this.written = address.slice(writeViewAddress('inspect', '').length);
    this.dispatchEvent(new ViewAddressEvent(address));
  }

  private show(at: number): void {
    const group = this.groups[at];
    if (!group) return;
    const inspected = this.inspectGroup(group);
    this.inspected = inspected;
    this.at = at;
    this.turn = undefined;
    const choice = { ...this.choice, rule: this.picked };
    this.choice = { ...choice, rule: selectSupportedRule(group, choice) };
  }

  private type(event: Event): void {
    const field = event.target as HTMLInputElement;
    const at = Math.min(this.groups.length, Math.max(1, Math.round(Number(field.value) || 1))) - 1;
    this.go(at);
    field.value = String(at + 1);
  }

  private choose(event: ChoiceEvent): void {
    if (event.detail.rule !== this.choice.rule) this.picked = event.detail.rule;
    this.choice = event.detail;
  }

  private chooseView(kind: ViewKind): void {
    this.requestedView = kind;
  }

  private openTurn(event: TurnEvent): void {
    this.turn = event.detail;
  }
}
