import { css, html, LitElement } from 'lit';
import { customElement } from 'lit/decorators.js';
import { strings } from '../strings/strings.ts';
import { base } from './styles.ts';
import { THEMES, ThemeController } from './themeController.ts';

/** Choice of the theme: dark, light, or the theme of the system. */
@customElement('tw-theme-switch')
export class ThemeSwitch extends LitElement {
  static override styles = [
    base,
    css`
      label { display: inline-flex; align-items: center; gap: 0.375rem; font-size: 0.8125rem; color: var(--ink-2); }
      select { color: var(--ink); }
    `,
  ];

  private readonly theme = new ThemeController(this);

  protected override render() {
    return html`<label>${strings.theme.label}
      <select @change=${this.choose}>
        ${THEMES.map(
          (name) => html`<option value=${name}
          .selected=${name === this.theme.choice}>${strings.theme[name]}</option>`,
        )}
      </select>
    </label>`;
  }

  private choose(event: Event): void {
    const { value } = event.target as HTMLSelectElement;
    const choice = THEMES.find((name) => name === value);
    if (choice) this.theme.choose(choice);
  }
}
