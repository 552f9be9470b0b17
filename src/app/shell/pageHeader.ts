import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { Status } from '../../training/data/protocol.ts';
import { GoEvent, type Target } from '../address/viewAddress.ts';
import { base } from '../look/styles.ts';
import type { Happening } from '../session/runEvents.ts';
import { strings } from '../strings/strings.ts';
import '../controls/ruleSwitch.ts';
import { nextRule, type RuleSwitch } from '../controls/ruleSwitch.ts';
import '../controls/transport.ts';
import { layoutNextTo } from '../look/popovers.ts';

/**
 * Header that stays visible: name, status, transport buttons and rule switch. The slot has further buttons.
 */
@customElement('tw-page-header')
export class PageHeader extends LitElement {
  static override styles = [
    base,
    css`
      :host { position: sticky; top: 0; z-index: 10; background: var(--surface);
        border-bottom: 1px solid var(--line-2); }
      .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0.375rem 1.25rem; max-width: 100rem;
        margin: 0 auto;
        padding: 0.5rem clamp(0.75rem, 2vw, 1.5rem); }
      .brand { display: flex; align-items: baseline; gap: 0.75rem; flex: 0 1 17.5rem; min-width: 0; }
      h1 { margin: 0; font-size: 1.125rem; font-weight: 720; letter-spacing: -0.02em; }
      .status { display: inline-flex; align-items: center; gap: 0.45rem; font-size: 0.875rem; color: var(--ink-2);
        white-space: nowrap; font-variant-numeric: tabular-nums; min-width: 0; }
      .status span:last-child { overflow: hidden; text-overflow: ellipsis; }
      .light { flex: none; width: 0.6rem; height: 0.6rem; border-radius: 50%; border: 2px solid var(--ink-3); align-self: center; }
      .playing .light { background: var(--series-3); border-color: var(--series-3); }
      .stopped .light { background: var(--bad); border-color: var(--bad); border-radius: 0; }
      .warming .light, .loading .light, .recovering .light { border-style: dotted; }
      .rule { flex: 0 1 auto; min-width: 0; }
      /* The switch keeps its width and position for every status text. */
      tw-rule-plan { width: 0; min-width: 100%; }
      .steer { display: flex; flex-wrap: wrap; align-items: center; gap: 0.375rem; margin-inline-start: auto; }
      @media (max-width: 1100px) { .bar { column-gap: 0.5rem; } .brand { flex-basis: 14rem; } }
      @media (max-width: 640px) {
        /* The first line scrolls away; the rule switch, play and the list of panels stay. */
        :host { top: -2.125rem; }
        .bar { gap: 0.25rem 0.5rem; padding-block: 0 0.25rem; }
        .brand { flex-basis: 100%; justify-content: space-between; align-items: center; height: 2.125rem; }
        .status { font-size: 0.8125rem; min-width: 0; overflow: hidden; }
        .rule { display: contents; }
        tw-rule-switch { flex: 1 1 19rem; min-width: 0; }
        /* The scheduled change scrolls away with the first line unless it has the focus; the charts show it too. */
        .brand { order: -2; }
        tw-rule-plan { order: -1; margin-top: -0.25rem; }
        :host([plan]) { top: -3.375rem; }
        .steer { flex: 0 0 auto; gap: 0.25rem; }
        tw-rule-switch { order: 1; flex-basis: 100%; }
      }
      @media (max-height: 420px) { :host { position: static; } .rule { position: sticky; top: 0; } }
      @media print { :host { position: static; } tw-transport { display: none; } }
    `,
  ];

  @property() status: Status = 'loading';
  @property({ type: Number }) step = 0;
  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  @property({ attribute: false }) settings: ParameterValues | undefined;
  @property() rule = '';
  /** Targets of the list of panels. The list is absent if there are no targets. */
  @property({ attribute: false }) targets: readonly Target[] = [];
  /** True to suggest that the user presses the other rule. */
  @property({ type: Boolean }) suggests = false;
  @property({ attribute: false }) planned: readonly Happening[] = [];
  @property({ attribute: false }) appliedEvents: readonly Happening[] = [];
  @state() private atPlan = false;
  @query('tw-rule-switch') private switch!: RuleSwitch;

  protected override updated(): void {
    this.toggleAttribute('plan', nextRule(this.planned) !== undefined && !this.atPlan);
  }

  protected override render() {
    return html`
      <header class="bar">
        <div class="brand">
          <h1>${strings.name}</h1>
          <span class="status ${this.status}" title=${strings.about}>
            <span class="light" aria-hidden="true"></span>
            <span>${strings.status[this.status]} · ${strings.status.step(String(this.step))}</span>
          </span>
        </div>
        <tw-transport .status=${this.status}></tw-transport>
        <div class="rule">
          <tw-rule-switch .environment=${this.environment} .settings=${this.settings} .rule=${this.rule}
            ?suggests=${this.suggests}></tw-rule-switch>
          ${nextRule(this.planned) ? this.plan() : nothing}
        </div>
        <div class="steer">
          ${this.targets.length > 0 ? html`<tw-contents .targets=${this.targets}></tw-contents>` : nothing}
          <slot></slot>
        </div>
      </header>
    `;
  }

  /** Presses a rule of the rule switch. */
  press(rule: string): void {
    this.switch.press(rule);
  }

  private plan() {
    return html`<tw-rule-plan .planned=${this.planned} .appliedEvents=${this.appliedEvents}
      @focusin=${this.trackFocus} @focusout=${this.trackFocus} @drop-plan=${() => this.switch.focus()}></tw-rule-plan>`;
  }

  private trackFocus(event: FocusEvent): void {
    this.atPlan = event.type === 'focusin';
  }
}

/**
 * List of the parts of the page. Keyboard users can skip other parts, and phone users have a table of contents. The
 * list is available at any scroll position.
 * @fires go when the user chooses a part (GoEvent)
 */
@customElement('tw-contents')
export class Contents extends LitElement {
  static override styles = [
    base,
    css`
      .list { position: fixed; margin: 0; inset: auto; width: min(16rem, calc(100vw - 12px)); padding: 0.375rem;
        overflow: auto; border: 1px solid var(--line-2); border-radius: 10px; color: var(--ink);
        background: var(--surface); box-shadow: 0 8px 28px rgb(0 0 0 / 0.25); }
      ul { margin: 0; padding: 0; list-style: none; }
      a { display: block; padding: 0.3rem 0.5rem; border-radius: 6px; font-size: 0.875rem; color: var(--ink);
        text-decoration: none; }
      a:hover { background: var(--hover); }
      @media (pointer: coarse) { a { padding-block: 0.5rem; } }
      .icon { display: none; }
      @media (max-width: 1100px) {
        .word { display: none; }
        .icon { display: inline; }
      }
      @media print { :host { display: none; } }
    `,
  ];

  /** Parts of the page, in order. */
  @property({ attribute: false }) targets: readonly Target[] = [];
  @query('button') private button!: HTMLButtonElement;
  @query('.list') private list!: HTMLElement;

  protected override render() {
    const texts = strings.shell.contents;
    return html`<nav aria-label=${texts.label}>
      <button class="small" popovertarget="list" aria-label=${texts.button} title=${texts.label}>
        <span class="word" aria-hidden="true">${texts.button} ▾</span><span class="icon" aria-hidden="true">☰</span></button>
      <div id="list" class="list" popover @beforetoggle=${this.positionList} @toggle=${this.enter} @keydown=${this.move}>
        <ul>
          ${this.targets.map(
            (target) => html`<li><a href=${`#${target}`}
              @click=${(event: Event) => this.go(event, target)}>${texts.targets[target]}</a></li>`,
          )}
        </ul>
      </div>
    </nav>`;
  }

  /** Places the list below the button and inside the window. On closing, returns the focus to the button. */
  private positionList(event: ToggleEvent): void {
    if (event.newState !== 'open') {
      // If the focus is inside, closing the list would lose the focus.
      if (this.list.matches(':focus-within')) this.button.focus();
      return;
    }
    layoutNextTo(this.button, this.list, '16rem');
  }

  private enter(event: ToggleEvent): void {
    if (event.newState === 'open') this.list.querySelector('a')?.focus();
  }

  /** Moves the focus through the list with the arrow keys, Home and End. Tab also works. */
  private move(event: KeyboardEvent): void {
    const links = [...this.list.querySelectorAll('a')];
    const at = links.indexOf(this.shadowRoot?.activeElement as HTMLAnchorElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    links[(to + links.length) % links.length]?.focus();
  }

  /** Requests the part by an event, because a link cannot reach an element inside a shadow tree. */
  private go(event: Event, target: Target): void {
    event.preventDefault();
    this.list.hidePopover();
    this.dispatchEvent(new GoEvent(target));
  }
}
