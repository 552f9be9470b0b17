import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { RunConfiguration } from '../training/configuration.ts';
import { TABLES } from './tables.ts';
import { readUrl, type UrlReading, type View, writeUrl } from './url.ts';

/** Browsers refuse more than some hundred address changes in half a minute. */
const WRITE_EVERY_MS = 500;

/** Reads the page's address once, then keeps it up to date with the run. */
export class UrlController implements ReactiveController {
  readonly reading: UrlReading;
  view: View;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest = '';
  private shown: { readonly configuration: RunConfiguration; readonly view: View } | undefined;

  constructor(private readonly host: ReactiveControllerHost) {
    this.reading = readUrl(location.search, TABLES);
    this.view = this.reading.view;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.timer);
  }

  setView(view: View, configuration: RunConfiguration): void {
    this.view = view;
    this.show(configuration);
    this.host.requestUpdate();
  }

  /** The query of a configuration under the present view. */
  query(configuration: RunConfiguration): string {
    return writeUrl(configuration, this.view, TABLES);
  }

  /** Puts the configuration into the address, soon. */
  show(configuration: RunConfiguration): void {
    if (configuration === this.shown?.configuration && this.view === this.shown.view) return;
    this.shown = { configuration, view: this.view };
    const query = this.query(configuration);
    if (query === this.latest) return;
    this.latest = query;
    this.timer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  private write(): void {
    this.timer = undefined;
    try {
      history.replaceState(history.state, '', `${location.pathname}${this.latest}`);
    } catch {
      // A sandboxed frame may forbid it; the link can still be copied.
    }
  }
}
