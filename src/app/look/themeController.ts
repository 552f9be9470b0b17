import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { SavedChoice } from './savedChoice.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Stored theme. A script in index.html reads the same key before the first paint. */
const stored = new SavedChoice('turnwise-theme', THEMES);

/** Applies the theme to the page as `data-theme` of the root element. The theme `auto` follows the system setting. */
export class ThemeController implements ReactiveController {
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }

  hostConnected(): void {
    this.dark.addEventListener('change', this.apply);
    this.apply();
  }

  hostDisconnected(): void {
    this.dark.removeEventListener('change', this.apply);
  }

  get choice(): Theme {
    return stored.value;
  }

  choose(choice: Theme): void {
    stored.choose(choice);
    this.apply();
    this.host.requestUpdate();
  }

  private apply = (): void => {
    const dark = this.choice === 'dark' || (this.choice === 'auto' && this.dark.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  };
}
