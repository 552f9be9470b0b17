import { css, html, LitElement, nothing } from 'lit';
import { state } from 'lit/decorators.js';
import { base, panel } from './styles.ts';

type Loading = 'no' | 'yes' | 'done' | { readonly failed: string };

/** Texts of a panel: its title, its buttons and its loading states. */
export interface OpenedTexts {
  readonly title: string;
  readonly caption: string;
  readonly open: string;
  readonly openLong: string;
  readonly close: string;
  readonly closeLong: string;
  readonly opening: string;
  notOpened(reason: string): string;
  readonly again: string;
  readonly reload: string;
}

/** Base class of a panel that loads its code when it is first opened and removes its content when it is closed. */
export abstract class OpenedPanel extends LitElement {
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

  @state() protected open = false;
  @state() private loading: Loading = 'no';

  protected abstract readonly texts: OpenedTexts;
  /** Loads the code that `content` requires. */
  protected abstract loadContent(): Promise<unknown>;
  /** Renders the content of the open panel, after its code is loaded. */
  protected abstract content(): unknown;
  /** Renders the content of the closed panel. */
  protected abstract closed(): unknown;

  /** Renders a notice above the content. By default there is no notice. */
  protected notice(): unknown {
    return nothing;
  }

  protected override render() {
    const { texts, open } = this;
    return html`
      <section aria-labelledby="title">
        <header>
          <h2 id="title">${texts.title}</h2>
          <span class="caption">${texts.caption}</span>
          <button class="toggle" aria-expanded=${open} aria-label=${open ? texts.closeLong : texts.openLong}
            @click=${this.toggle}>${open ? texts.close : texts.open}</button>
        </header>
        ${this.notice()}
        ${open ? this.opened() : this.closed()}
      </section>
    `;
  }

  /** Opens the panel and loads its code if necessary. */
  show(): void {
    this.open = true;
    if (this.loading !== 'done') void this.load();
  }

  private opened() {
    const { texts, loading } = this;
    if (loading === 'done') return this.content();
    if (typeof loading === 'string') return html`<p class="caption" role="status">${texts.opening}</p>`;
    return html`<p role="alert">${texts.notOpened(loading.failed)}
      <button class="small" @click=${this.load}>${texts.again}</button>
      <button class="small" @click=${() => location.reload()}>${texts.reload}</button></p>`;
  }

  private toggle(): void {
    if (this.open) this.open = false;
    else this.show();
  }

  private async load(): Promise<void> {
    this.loading = 'yes';
    try {
      await this.loadContent();
      this.loading = 'done';
    } catch (error) {
      this.loading = { failed: error instanceof Error ? error.message : String(error) };
    }
  }
}
