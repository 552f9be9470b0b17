import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base, panel } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';

type Loading = 'no' | 'yes' | 'done' | { readonly failed: string };

/** The place of the Python panel: it loads the editor and the interpreter when it is opened, and lets go of them when it is closed. */
@customElement('tw-python')
export class PythonPanel extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      .toggle { margin-inline-start: auto; }
      .caption { margin-top: 0.25rem; }
      header .caption { margin: 0; }
      @media print { .toggle { display: none; } }
    `,
  ];

  /** Opens by itself: the page was asked for this panel alone. */
  @property({ type: Boolean }) alone = false;
  @state() private open = false;
  @state() private loading: Loading = 'no';
  /** When it was opened, on the page's clock. */
  private since = 0;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('alone') && this.alone && !this.open) this.show();
  }

  protected override render() {
    const texts = pythonStrings;
    return html`
      <section aria-labelledby="title">
        <header>
          <h2 id="title">${texts.title}</h2>
          <span class="caption">${texts.caption}</span>
          <button class="toggle" aria-expanded=${this.open} aria-label=${this.open ? texts.closeLong : texts.openLong}
            @click=${this.toggle}>${this.open ? texts.close : texts.open}</button>
        </header>
        ${this.open ? this.content() : html`<p class="caption">${texts.what}</p>`}
      </section>
    `;
  }

  private content() {
    const texts = pythonStrings;
    if (this.loading === 'done') return html`<tw-python-bench .since=${this.since}></tw-python-bench>`;
    if (typeof this.loading === 'string') return html`<p class="caption" role="status">${texts.opening}</p>`;
    return html`<p role="alert">${texts.notOpened(this.loading.failed)}
      <button class="small" @click=${this.load}>${texts.again}</button>
      <button class="small" @click=${() => location.reload()}>${texts.reload}</button></p>`;
  }

  private toggle(): void {
    if (this.open) this.open = false;
    else this.show();
  }

  private show(): void {
    this.open = true;
    this.since = performance.now();
    if (this.loading !== 'done') void this.load();
  }

  private async load(): Promise<void> {
    this.loading = 'yes';
    try {
      await import('./pythonBench.ts');
      this.loading = 'done';
    } catch (error) {
      this.loading = { failed: error instanceof Error ? error.message : String(error) };
    }
  }
}
