import { css, html, LitElement } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { type View, writeUrl } from '../address/url.ts';
import { PANELS, type Panel, PLAYGROUND_PANELS, panelsAt } from '../address/viewAddress.ts';
import '../look/answers.ts';
import type { Answer } from '../look/answers.ts';
import { base, panel } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

export type ShareAction = 'link' | 'csv' | 'group' | 'run';

export class ShareEvent extends CustomEvent<ShareAction> {
  constructor(action: ShareAction) {
    super('share', { detail: action, bubbles: true, composed: true });
  }
}

export class ViewEvent extends CustomEvent<View> {
  constructor(view: View) {
    super('view', { detail: view, bubbles: true, composed: true });
  }
}

/**
 * Panel with links and files of the runs, and the choice of the panels in a link.
 * @fires share when the user requests a link or a file (ShareEvent)
 * @fires view when the user chooses other panels (ViewEvent)
 */
@customElement('tw-share')
export class Share extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      .actions { display: flex; flex-wrap: wrap; gap: 0.375rem; margin-top: 0.625rem; }
      fieldset { border: 0; margin: 0.75rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem;
        min-width: 0; }
      legend { float: left; font-size: 0.8125rem; color: var(--ink-2); padding: 0; margin-inline-end: 0.5rem; }
      label { display: inline-flex; gap: 0.375rem; align-items: center; font-size: 0.8125rem; }
      @media (pointer: coarse) { label { min-height: 2rem; } }
    `,
  ];

  @property({ attribute: false }) view!: View;
  /** Configuration that reproduces the run. */
  @property({ attribute: false }) configuration!: RunConfiguration;
  /** Additional runs. */
  @property({ attribute: false }) compared: readonly RunConfiguration[] = [];
  /** Result of the last pressed button of the panel. */
  @property({ attribute: false }) answer: Answer | undefined;
  /** Message if the user unticks the only selected panel, which stays selected. */
  @state() private panelAnswer: Answer | undefined;

  protected override render() {
    const texts = strings.share;
    const visible = panelsAt('play', this.view.panels);
    const button = (action: ShareAction, label: string) =>
      html`<button @click=${() => this.dispatchEvent(new ShareEvent(action))}>${label}</button>`;
    return html`
      <section aria-labelledby="title">
        <h2 id="title">${texts.title}</h2>
        <div class="actions">
          ${button('link', texts.link)} ${button('csv', texts.csv)} ${button('group', texts.group)}
          ${button('run', texts.run)}
        </div>
        <tw-answer .answer=${this.answer}></tw-answer>
        <fieldset>
          <legend>${texts.panels}</legend>
          ${PANELS.map(
            (name) => html`<label><input type="checkbox" .checked=${live(visible.includes(name))}
              @change=${(event: Event) => this.toggle(name, event)} />${texts.panelNames[name]}</label>`,
          )}
        </fieldset>
        <tw-answer .answer=${this.panelAnswer}></tw-answer>
        <tw-embed-code .view=${this.view} .configuration=${this.configuration} .compared=${this.compared}></tw-embed-code>
      </section>
    `;
  }

  private toggle(name: Panel, event: Event): void {
    const { checked } = event.target as HTMLInputElement;
    const visible = panelsAt('play', this.view.panels);
    const panels = PANELS.filter((panel) => (panel === name ? checked : visible.includes(panel)));
    const none = panels.length === 0;
    this.panelAnswer = none
      ? { text: strings.shell.panels.last(strings.share.panelNames[name]), failed: true }
      : undefined;
    // An empty list means the default panels of the Playground. A link must have at least one panel.
    const isDefault = panels.join() === PLAYGROUND_PANELS.join();
    if (!none) this.dispatchEvent(new ViewEvent({ ...this.view, panels: isDefault ? [] : panels }));
    this.requestUpdate();
  }
}

/** HTML code that shows this run inside another page. */
@customElement('tw-embed-code')
export class EmbedCode extends LitElement {
  static override styles = [
    base,
    css`
      details { margin-top: 0.75rem; }
      summary { font-size: 0.875rem; }
      .caption { margin-top: 0.375rem; }
      textarea { display: block; width: 100%; margin-top: 0.5rem; padding: 0.375rem 0.5rem; resize: vertical;
        border: 1px solid var(--line-2); border-radius: 6px; background: var(--ground); color: var(--ink);
        font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.75rem; line-height: 1.4;
        overflow-wrap: anywhere; }
      .actions { display: flex; flex-wrap: wrap; gap: 0.375rem; margin-top: 0.5rem; align-items: center; }
    `,
  ];

  @property({ attribute: false }) view!: View;
  @property({ attribute: false }) configuration!: RunConfiguration;
  /** Additional runs. */
  @property({ attribute: false }) compared: readonly RunConfiguration[] = [];
  @state() private open = false;
  @state() private answer: Answer | undefined;
  @query('textarea') private field!: HTMLTextAreaElement;

  protected override render() {
    const texts = strings.shell.embed;
    return html`<details @toggle=${this.toggle}>
      <summary>${texts.title}</summary>
      ${this.open ? this.content() : ''}
    </details>`;
  }

  private content() {
    const texts = strings.shell.embed;
    const address = new URL(frameQuery(this.configuration, this.view, this.compared), location.href).href;
    return html`<p class="caption">${texts.caption}</p>
      <textarea readonly rows="4" aria-label=${texts.code} spellcheck="false"
        .value=${frameCode(address, texts.frameTitle)}></textarea>
      <div class="actions">
        <button @click=${this.copy}>${texts.copy}</button>
        <a class="button" href=${address} target="_blank" rel="noopener">${texts.preview}</a>
      </div>
      <tw-answer .answer=${this.answer}></tw-answer>`;
  }

  private toggle(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }

  private async copy(): Promise<void> {
    const texts = strings.shell.embed;
    try {
      await navigator.clipboard.writeText(this.field.value);
      this.answer = { text: texts.copied, failed: false };
    } catch {
      this.field.select();
      this.answer = { text: texts.copyFailed, failed: true };
    }
  }
}

type Runs = readonly RunConfiguration[];

/** Returns the query of an embedded page with a run, additional runs and the chosen panels. */
export function frameQuery(configuration: RunConfiguration, view: View, additional: Runs = []): string {
  const panels = panelsAt('play', view.panels);
  return writeUrl(configuration, { ...view, panels, embed: true }, additional);
}

/** Returns an HTML iframe element that embeds a page. */
export function frameCode(address: string, title: string): string {
  const source = escapeAttribute(address);
  return `<iframe src="${source}" title="${escapeAttribute(title)}" width="100%" height="720" style="border: 0" loading="lazy"></iframe>`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
