import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { groupNumber, groupUpdate } from '../../rollouts/rolloutBatch.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { Command, GroupPush, GroupView, Status } from '../../training/data/protocol.ts';
import { isTokenRule } from '../address/pageTables.ts';
import { VisibleController } from '../drawing/drawing.ts';
import { liveView, type TurnEvent, type ViewKind } from '../inspector/choice.ts';
import { type Inspected, inspectView } from '../inspector/inspected.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base, panel } from '../look/styles.ts';
import type { NoTie } from '../session/runModel.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { slowStrings } from '../strings/slowStrings.ts';
import { strings } from '../strings/strings.ts';
import '../glossary/panelGlossary.ts';
import { questionLegend } from '../glossary/terms.ts';
import { turnCount } from './advantageRanges.ts';
import { groupStyles } from './groupStyles.ts';
import type { RolloutEvent } from './groupTable.ts';
import './scoredGroup.ts';
import type { SlowMotionEvent } from './slowMotion.ts';
import './turnCredit.ts';
import './transcript.ts';
import './groupTable.ts';
import './slowMotion.ts';

/** Minimum display time of a group while the run trains, so that the user can read it [ms]. */
const DISPLAY_MS = 700;

/** Event that sends a command to the session, for example to request another group or a new sample. */
export class GroupCommandEvent extends pageEvent<Command>('group-command') {}

/** Displayed group with its inspected form and its view. */
interface Displayed {
  readonly group: GroupView;
  readonly inspected: Inspected;
  readonly view: ViewKind;
}

/**
 * Panel for one group of the batch: table, ranges of the advantages, and transcript of a chosen rollout. If turns are
 * programs or tool calls, the panel shows their trees instead. The group does not change while the user holds it, has a
 * turn open, or has the pointer or focus in the drawing.
 * @fires group-command when the user requests another group or a new sample, or holds the shown group
 *   (GroupCommandEvent)
 */
@customElement('tw-group')
export class GroupPanel extends LitElement {
  static override styles = [base, panel, groupStyles];

  @property({ attribute: false }) group: GroupView | undefined;
  /** Result of a search that found no tied group with different turn rewards. */
  @property({ attribute: false }) untied: NoTie | undefined;
  /** Effect of the last watched update on its group. */
  @property({ attribute: false }) push: GroupPush | undefined;
  /** Controls of the run. */
  @property({ attribute: false }) controls: ParameterValues = {};
  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  /**
   * Status of the run. The minimum display time applies only while the status is `playing`.
   */
  @property() status: Status = 'playing';
  @state() private displayed: Displayed | undefined;
  @state() private held = false;
  @state() private chosen = 0;
  /** True if the user chose a rollout to read. */
  @state() private opened = false;
  /** State of the walk through one update: requested, or its data. Undefined if there is no walk. */
  @state() private slow: 'asked' | GroupPush | undefined;
  /** Open turn; undefined if no turn is open. */
  @state() private turn: number | undefined;
  /** True if the pointer (`pointed`) or the focus (`focused`) is in the drawing. */
  @state() private pointed = false;
  @state() private focused = false;
  /**
   * True if the side column is shown next to the table. The first group is drawn in two frames, because new templates
   * are slow to render.
   */
  @state() private sided = false;
  /** Hold that the panel last requested from the session. */
  private lastRequest: { readonly step: number; readonly sampleOnly: boolean } | null = null;
  private updatedAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly visibility = new VisibleController(this);

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('push') && this.slow === 'asked' && this.push) this.slow = this.push;
    if (this.status === 'stopped' && this.slow === 'asked') this.slow = undefined;
    const { group, displayed } = this;
    // The group of a walk through one update is shown immediately. It does not change until the walk is closed.
    if (group === displayed?.group) return;
    const { slow } = this;
    if (group && (slow === 'asked' || slow?.step === group.step)) {
      this.show(group);
      return;
    }
    // Another run begins, so the held group of the previous run is released.
    if (!group) this.letGo();
    const isSameStep = group && displayed && isSibling(group, displayed.group);
    // If a sample was requested, it is shown immediately, and does not change until it is released.
    if (group?.sampleOnly) this.held = true;
    else if (group && displayed && !isSameStep && (this.isPaused || !this.visibility.visible)) return;
    const wait = this.updatedAt + DISPLAY_MS - performance.now();
    if (this.status === 'playing' && wait > 0 && displayed && group && !group.sampleOnly && !isSameStep) {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.requestUpdate();
      }, wait);
      return;
    }
    this.show(group);
  }

  protected override updated(): void {
    if (this.displayed && !this.sided) requestAnimationFrame(() => (this.sided = true));
    // The session retains the pinned step, so that the user can request its other groups.
    const retained = this.isPinned ? this.displayed?.group : undefined;
    const of = retained ? { step: retained.step, sampleOnly: retained.sampleOnly } : null;
    if (of?.step === this.lastRequest?.step && of?.sampleOnly === this.lastRequest?.sampleOnly) return;
    this.lastRequest = of;
    this.dispatchEvent(new GroupCommandEvent({ type: 'hold', of }));
  }

  /** Shows a rollout of a group, and holds the group until the user releases it. */
  openRollout(group: GroupView, rollout: number): void {
    this.show(group);
    this.chosen = rollout;
    this.opened = true;
  }

  /** Shows a group, and holds it until the user releases it. */
  open(group: GroupView): void {
    this.show(group);
    this.held = true;
  }

  private show(group: GroupView | undefined): void {
    const inspected = group && inspectView(group);
    this.displayed = inspected && { group, inspected, view: liveView(group, inspected) };
    this.updatedAt = performance.now();
    this.turn = undefined;
    if (group) return;
    this.opened = false;
    // A removed drawing dispatches no leave event.
    this.pointed = false;
    this.focused = false;
  }

  /** True if the group must not change, because the user holds it or has the pointer or focus in it. */
  private get isPaused(): boolean {
    return this.isPinned || this.pointed || this.focused;
  }

  /** True if the panel stays at this step until the user releases it. */
  private get isPinned(): boolean {
    return this.held || this.opened || this.turn !== undefined || typeof this.slow === 'object';
  }

  protected override render() {
    const texts = strings.group;
    const { displayed } = this;
    return html`
      <section aria-labelledby="title">
        <header>
          <h2 id="title">${texts.title(displayed?.inspected.group.turns.filter(({ parent }) => parent === -1).length)}</h2>
          <span class="caption">${this.caption}</span>
          <tw-words-here panel="group" environment=${this.environment}></tw-words-here>
        </header>
        ${
          displayed
            ? this.content(displayed)
            : html`<div class="which">
                <span class="muted">${texts.waiting}</span>${this.tools()}
              </div>`
        }
      </section>
    `;
  }

  private get caption(): string {
    const { view = 'turns', group } = this.displayed ?? {};
    if (view !== 'turns') return inspectorStrings.scored.captions[view];
    return isTokenRule(group?.rule ?? '') ? strings.group.captionCritic : strings.group.caption;
  }

  private content({ group, inspected, view }: Displayed) {
    const texts = strings.group;
    const legend = questionLegend(this.environment, group.question);
    return html`
      <div class="which">
        <span>${texts.question} <code>${group.question}</code></span>
        <span class="muted">${group.sampleOnly ? texts.sampled(group.sample) : texts.number(groupNumber(group.group), group.groups)}</span>
        <span class="muted">${groupUpdate(group)}</span>
        <span class="muted" role="status">${this.untied ? texts[this.untied.isFlat ? 'flatTie' : 'noTie'](this.untied.samples) : ''}</span>
        ${this.tools(group)}
      </div>
      ${this.slowMotion(group)}
      ${legend === undefined ? nothing : html`<p class="caption legend">${legend}</p>`}
      ${view === 'turns' ? this.table(group, inspected) : this.trees(group, inspected, view)}
    `;
  }

  private table(group: GroupView, inspected: Inspected) {
    const chosen = Math.min(this.chosen, group.rollouts.length - 1);
    return html`<tw-group-badges .group=${group}></tw-group-badges><div class="body ${turnCount(group) > 2 ? 'wide' : ''}">
      <tw-group-table .group=${group} .chosen=${chosen} @rollout=${this.choose}></tw-group-table>
      ${this.sided ? this.side(group, chosen) : nothing}
    </div>
    <tw-turn-credit .group=${group} .inspected=${inspected} .controls=${this.controls} .rollout=${chosen}></tw-turn-credit>`;
  }

  private side(group: GroupView, chosen: number) {
    const rollout = group.rollouts[chosen];
    return html`<div class="side">
      <tw-spread .group=${group}></tw-spread>
      ${rollout ? html`<tw-transcript .rollout=${rollout} .number=${chosen + 1}></tw-transcript>` : nothing}
    </div>`;
  }

  private trees(group: GroupView, inspected: Inspected, view: ViewKind) {
    return html`<tw-judged-group .group=${group} .inspected=${inspected} .view=${view} .controls=${this.controls}
      .environment=${this.environment} .turn=${this.turn} @turn-choice=${this.openTurn} @pointerover=${this.point}
      @pointerleave=${this.leave} @focusin=${this.focusIn} @focusout=${this.focusOut}></tw-judged-group>`;
  }

  private tools(displayed?: GroupView) {
    const texts = strings.group;
    const isActive = (this.pointed || this.focused) && !this.isPinned;
    const pausedNote = html`<span class="paused" style=${isActive ? '' : 'visibility: hidden'}>${inspectorStrings.scored.pausedNote}</span>`;
    // The space of the text is reserved, so that the layout does not shift under the pointer.
    const pinBox = html`${this.displayed?.view === 'turns' ? nothing : pausedNote}<label
      title=${texts.pinHelp}><input type="checkbox" .checked=${live(this.isPinned)}
        @change=${this.pin} />${texts.pin}</label>`;
    return html`<span class="tools">
      ${displayed ? html`${pinBox}${this.steps(displayed)}` : nothing}
      <button class="small" title=${texts.sampleHelp} @click=${() => this.dispatchCommand({ type: 'sample' })}>${texts.sample}</button>
      <button class="small" title=${slowStrings.startHelp} @click=${this.walk}>${slowStrings.start}</button>
      <button class="small" title=${texts.tieHelp} @click=${() => this.dispatchCommand({ type: 'find-tie' })}>${texts.tie}</button>
    </span>`;
  }

  private steps({ group, groups }: GroupView) {
    const texts = strings.group;
    const show = (index: number) => () => {
      // Closes the open turn and stays at the step.
      this.held = this.isPinned;
      this.dispatchEvent(new GroupCommandEvent({ type: 'show', group: (index + groups) % groups }));
    };
    return html`<button class="small" aria-label=${texts.previous} title=${texts.previous}
      @click=${show(group - 1)}>←</button>
      <button class="small" aria-label=${texts.next} title=${texts.next} @click=${show(group + 1)}>→</button>`;
  }

  private choose(event: RolloutEvent): void {
    this.chosen = event.detail;
    this.opened = true;
  }

  private openTurn(event: TurnEvent): void {
    this.turn = event.detail;
  }

  private pin(event: Event): void {
    const { checked } = event.target as HTMLInputElement;
    if (checked) this.held = true;
    else this.letGo();
  }

  /** An open turn or rollout holds its group, so releasing the group closes it. */
  private letGo(): void {
    this.held = false;
    this.opened = false;
    this.turn = undefined;
    this.slow = undefined;
  }

  private point(event: PointerEvent): void {
    this.pointed = inDrawing(event);
  }

  private leave(): void {
    this.pointed = false;
  }

  private focusIn(event: FocusEvent): void {
    this.focused = inDrawing(event);
  }

  private focusOut(): void {
    this.focused = false;
  }

  private slowMotion(group: GroupView) {
    const { slow } = this;
    if (slow === undefined) return nothing;
    if (slow === 'asked') return html`<p class="caption" role="status">${slowStrings.waiting}</p>`;
    if (slow.step !== group.step || slow.group !== group.group) return nothing;
    return html`<tw-slow-motion .group=${group} .push=${slow} @slow-motion=${this.walked}></tw-slow-motion>`;
  }

  private walk(): void {
    this.letGo();
    this.slow = 'asked';
    this.dispatchCommand({ type: 'slow-motion' });
  }

  private walked(event: SlowMotionEvent): void {
    if (event.detail === 'again') this.walk();
    else this.letGo();
  }

  private dispatchCommand(command: Command): void {
    this.dispatchEvent(new GroupCommandEvent(command));
  }
}

/** Returns true if a group is another group of the same batch, which only the user requests. */
function isSibling(group: GroupView, displayed: GroupView): boolean {
  return group.step === displayed.step && group.sampleOnly === displayed.sampleOnly && group.group !== displayed.group;
}

/** Returns true if an event happened in a drawing, also inside nested shadow trees. */
function inDrawing(event: Event): boolean {
  return event.composedPath().some((target) => target instanceof Element && target.classList.contains('drawing'));
}
