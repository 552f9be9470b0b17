import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { GoEvent, type Target } from '../address/panels.ts';
import { layoutNextTo } from '../look/popovers.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

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
