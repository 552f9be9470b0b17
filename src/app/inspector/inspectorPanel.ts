import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { groupName } from '../../rollouts/groupNames.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { liveView, runChoice } from '../group/judging.ts';
import { base, panel } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type CreditChoice, MOST_DRAWN, suitableRule, type ViewKind, viewsOf } from './choice.ts';
import { type Inspected, inspect, inspectView } from './inspected.ts';
import type { ChoiceEvent, TurnEvent } from './inspectorEvents.ts';
import './inspectedGroup.ts';
import './rolloutFile.ts';
import type { RolloutFileEvent } from './rolloutFile.ts';
import '../words/wordsHere.ts';

/** Any group of rollouts, from a file or from the run, under every credit rule. */
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
      .id { overflow-wrap: anywhere; }
      .note { max-width: 62rem; margin: 0 0 0.75rem; font-size: 0.875rem; overflow-wrap: anywhere; }
      .views { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; border: 0; margin: 0; padding: 0; }
      .views legend { float: inline-start; padding: 0; margin-inline-end: 0.5rem; color: var(--ink-2); }
      .views label { display: inline-flex; gap: 0.375rem; align-items: center; }
    `,
  ];

  /** The group that the run shows. */
  @property({ attribute: false }) live: GroupView | undefined;
  /** The run's controls: its group opens under its rule, with its parameters. */
  @property({ attribute: false }) controls: ParameterValues = {};
  @state() private name = '';
  @state() private groups: readonly Inspected[] = [];
  @state() private at = 0;
  @state() private choice: CreditChoice = { rule: '', values: {} };
  @state() private turn: number | undefined;
  /** The rule that the reader chose: it stays where it can read a group. */
  private picked = '';
  /** The view that the reader chose; the fitting one before that, and for groups that lack it. */
  @state() private wanted: ViewKind | undefined;

  protected override render() {
    const texts = inspectorStrings;
    const inspected = this.groups[this.at];
    return html`<section aria-labelledby="title">
      <header><h2 id="title">${texts.title}</h2><span class="caption">${texts.caption}</span>
        <tw-words-here place="inspector"></tw-words-here></header>
      <tw-rollout-file .open=${this.name} ?live=${this.live !== undefined} @rollout-file=${this.open}
        @take-live=${this.takeLive}></tw-rollout-file>
      ${inspected ? this.content(inspected) : nothing}
    </section>`;
  }

  private content(inspected: Inspected) {
    const { note } = inspected.group;
    const views = viewsOf(inspected);
    const view = views.find((kind) => kind === this.wanted) ?? views[0];
    return html`<div @credit-choice=${this.choose} @turn-choice=${this.openTurn}>
      ${this.bar(inspected, views, view)}
      ${typeof note === 'string' ? html`<p class="note">${note}</p>` : nothing}
      <tw-inspected-group .inspected=${inspected} .choice=${this.choice} .turn=${this.turn} .view=${view ?? ''}>
      </tw-inspected-group>
    </div>`;
  }

  private bar({ group }: Inspected, views: readonly ViewKind[], view: ViewKind) {
    const texts = inspectorStrings;
    const turns = this.groups.reduce((sum, one) => sum + one.group.turns.length, 0);
    const last = this.groups.length - 1;
    return html`<div class="bar">
      <span class="id" role="status">${texts.summary(this.name, this.groups.length, turns)}</span>
      <span class="stepper">
        <label for="group">${texts.group}</label>
        <button class="small" aria-label=${texts.previous} ?disabled=${this.at === 0}
          @click=${() => this.show(this.at - 1)}>←</button>
        <input id="group" type="number" min="1" max=${last + 1} .value=${String(this.at + 1)} @change=${this.type} />
        <button class="small" aria-label=${texts.next} ?disabled=${this.at === last}
          @click=${() => this.show(this.at + 1)}>→</button>
        <span>${texts.groupOf(last + 1)}</span>
        <code class="id">${group.id}</code>
      </span>
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
        group.turns.length > MOST_DRAWN
          ? html`<span class="caption">${texts.tooLarge(group.turns.length, MOST_DRAWN)}</span>`
          : nothing
      }
    </div>`;
  }

  private open(event: RolloutFileEvent): void {
    const { name, groups } = event.detail;
    // What the run's parameters were is nothing to a file.
    if (this.choice.start) this.choice = { rule: this.choice.rule, values: {} };
    this.load(name, groups.map(inspect));
  }

  private takeLive(): void {
    if (!this.live) return;
    const { step, group, rule } = this.live;
    const run = runChoice(rule, this.controls);
    this.choice = { ...run, start: run.values };
    this.picked = rule;
    const inspected = inspectView(this.live);
    this.load(inspectorStrings.liveName(groupName(step, group)), [inspected]);
    // As the panel of the run's groups shows it.
    this.wanted = liveView(this.live, inspected);
  }

  private load(name: string, groups: readonly Inspected[]): void {
    this.name = name;
    this.groups = groups;
    this.wanted = undefined;
    this.show(0);
  }

  private show(at: number): void {
    const inspected = this.groups[at];
    if (!inspected) return;
    this.at = at;
    this.turn = undefined;
    const wanted = { ...this.choice, rule: this.picked };
    this.choice = { ...wanted, rule: suitableRule(inspected.group, wanted) };
  }

  private type(event: Event): void {
    const field = event.target as HTMLInputElement;
    const at = Math.min(this.groups.length, Math.max(1, Math.round(Number(field.value) || 1))) - 1;
    this.show(at);
    field.value = String(at + 1);
  }

  private choose(event: ChoiceEvent): void {
    if (event.detail.rule !== this.choice.rule) this.picked = event.detail.rule;
    this.choice = event.detail;
  }

  private chooseView(kind: ViewKind): void {
    this.wanted = kind;
  }

  private openTurn(event: TurnEvent): void {
    this.turn = event.detail;
  }
}
