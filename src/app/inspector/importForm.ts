import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { LOG_FORMATS } from '../../rollouts/import/rollout.ts';
import type { ImportSettings } from '../../rollouts/import/userFiles.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';

/** Request to read the open files again with other settings. */
export class ImportSettingsEvent extends CustomEvent<ImportSettings> {
  constructor(settings: ImportSettings) {
    super('import-settings', { detail: settings });
  }
}

/**
 * Form with the settings of an import. The settings are equal to the flags of the command `import`.
 * @fires import-settings when the form is submitted (ImportSettingsEvent)
 */
@customElement('tw-import-form')
export class ImportFormElement extends LitElement {
  static override styles = [
    base,
    css`
    form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 0.5rem 0.875rem;
      align-items: end; margin: 0.375rem 0; }
    label { display: grid; gap: 0.125rem; font-size: 0.8125rem; }
    input, select { width: 100%; min-width: 0; min-height: 2rem; box-sizing: border-box; }
    input { padding: 0 0.5rem; border: 1px solid var(--line-2); border-radius: 6px; background: transparent; color: inherit; font: inherit; }
  `,
  ];

  /** Settings with which the files were read. */
  @property({ attribute: false }) settings: ImportSettings = {};

  protected override render() {
    const texts = inspectorStrings.settings;
    const { from = '', outcome = '' } = this.settings;
    const options = (names: readonly string[], chosen: string, labels: Readonly<Record<string, string>> = {}) =>
      ['', ...names].map(
        (name) =>
          html`<option value=${name} ?selected=${name === chosen}>${name === '' ? texts.detected : (labels[name] ?? name)}</option>`,
      );
    const field = (name: 'turnRewards' | 'cut' | 'rewards') => html`<label title=${texts.help[name]}>${texts[name]}
      <input name=${name} .value=${this.settings[name] ?? ''} placeholder=${texts.placeholder[name]}
        spellcheck="false" autocomplete="off" /></label>`;
    return html`<form @submit=${this.submit}>
      <label title=${texts.help.from}>${texts.from}<select name="from">${options(LOG_FORMATS, from)}</select></label>
      ${field('turnRewards')} ${field('cut')}
      <label title=${texts.help.outcome}>${texts.outcome}
        <select name="outcome">${options(['total', 'apart'], outcome, texts.outcomes)}</select></label>
      ${field('rewards')}
      <button type="submit">${texts.read}</button>
    </form>`;
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const values = [...new FormData(event.target as HTMLFormElement)].filter(([, value]) => value !== '');
    this.dispatchEvent(new ImportSettingsEvent(Object.fromEntries(values) as ImportSettings));
  }
}
