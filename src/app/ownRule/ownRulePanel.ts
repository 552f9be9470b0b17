import { css, html, LitElement } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { OwnSource } from '../../credit/rules/own/ownSource.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { writePlace } from '../address/place.ts';
import { base, panel } from '../look/styles.ts';
import { ownRuleStrings as texts } from '../strings/ownRuleStrings.ts';
import { bringsRule, readFragment } from './ruleLink.ts';

type Loading = 'no' | 'yes' | 'done' | { readonly failed: string };

/**
 * The place of the visitor's own rule: it loads editor and interpreter when it is opened. A link that brings a rule opens it
 * and shows the code, of which nothing runs.
 */
@customElement('tw-own-rule')
export class OwnRulePanel extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      .toggle { margin-inline-start: auto; }
      .caption { margin-top: 0.25rem; }
      header .caption { margin: 0; }
      a { color: var(--accent); }
      @media print { .toggle { display: none; } }
    `,
  ];

  /** The group that the run shows. */
  @property({ attribute: false }) live: GroupView | undefined;
  @property({ attribute: false }) controls: ParameterValues = {};
  @property() environment: EnvironmentName = 'search';
  @property({ type: Boolean }) recorded = false;
  @state() private open = false;
  @state() private loading: Loading = 'no';
  /** The rule that a link brought. */
  @state() private brought: OwnSource | undefined;
  @state() private unread = false;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('hashchange', this.readLink);
    void this.readLink();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.readLink);
  }

  protected override render() {
    return html`
      <section aria-labelledby="title">
        <header>
          <h2 id="title">${texts.title}</h2>
          <span class="caption">${texts.caption}</span>
          <button class="toggle" aria-expanded=${this.open} aria-label=${this.open ? texts.closeLong : texts.openLong}
            @click=${this.toggle}>${this.open ? texts.close : texts.open}</button>
        </header>
        ${this.unread ? html`<p class="caption" role="alert">${texts.badLink}</p>` : ''}
        ${this.open ? this.content() : html`<p class="caption">${texts.what} <a href=${writePlace('challenge')}>${texts.challenge}</a></p>`}
      </section>
    `;
  }

  /** Opens the editor, where it is closed. */
  show(): void {
    this.open = true;
    if (this.loading !== 'done') void this.load();
  }

  private content() {
    if (this.loading === 'done') {
      return html`<tw-own-rule-bench .live=${this.live} .controls=${this.controls} .environment=${this.environment}
        ?recorded=${this.recorded} .brought=${this.brought}></tw-own-rule-bench>`;
    }
    if (typeof this.loading === 'string') return html`<p class="caption" role="status">${texts.opening}</p>`;
    return html`<p role="alert">${texts.notOpened(this.loading.failed)}
      <button class="small" @click=${this.load}>${texts.again}</button>
      <button class="small" @click=${() => location.reload()}>${texts.reload}</button></p>`;
  }

  private toggle(): void {
    if (this.open) this.open = false;
    else this.show();
  }

  private readLink = async (): Promise<void> => {
    const { hash } = location;
    if (!bringsRule(hash)) return;
    const brought = await readFragment(hash);
    this.unread = brought === undefined;
    if (!brought) return;
    this.brought = brought;
    this.show();
  };

  private load = async (): Promise<void> => {
    this.loading = 'yes';
    try {
      await import('./ownRuleBench.ts');
      this.loading = 'done';
    } catch (error) {
      this.loading = { failed: error instanceof Error ? error.message : String(error) };
    }
  };
}
