import type { ReactiveController, ReactiveControllerHost } from 'lit';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Where the choice is kept; index.html reads it too, before anything is drawn. */
const KEY = 'turnwise-theme';

/** Puts the chosen or the system's colours on the page, as `data-theme` of the root. */
export class ThemeController implements ReactiveController {
  choice: Theme = stored();
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

  choose(choice: Theme): void {
    this.choice = choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // A frame without storage: the choice holds until the page is closed.
    }
    this.apply();
    this.host.requestUpdate();
  }

  private apply = (): void => {
    const dark = this.choice === 'dark' || (this.choice === 'auto' && this.dark.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  };
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === value) ?? 'auto';
  } catch {
    return 'auto';
  }
}
