import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { RunConfiguration } from '../training/configuration.ts';
import { readUrl, type UrlReading, type View, writeUrl } from './url.ts';

/** Browsers refuse more than some hundred address changes in half a minute. */
const WRITE_EVERY_MS = 500;

/** What the page leaves in the history beside an address that it wrote itself. */
interface Mark {
  readonly turnwise: { readonly run: string; readonly query: string };
}

/** Reads the page's address once, then keeps it up to date with the run. */
export class UrlController implements ReactiveController {
  readonly reading: UrlReading;
  view: View;
  /** The run that this address was written for; undefined for an address that came from elsewhere. */
  runId: string | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest = '';
  private shown: { readonly configuration: RunConfiguration; readonly view: View } | undefined;

  constructor(private readonly host: ReactiveControllerHost) {
    this.reading = readUrl(location.search);
    this.view = this.reading.view;
    const { run, query } = (history.state as Mark | null)?.turnwise ?? {};
    if (query === location.search) this.runId = run;
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
    return writeUrl(configuration, this.view);
  }

  /** Puts the configuration into the address, soon, and beside it which run it is. */
  show(configuration: RunConfiguration, runId = this.runId): void {
    const { shown, view } = this;
    if (configuration === shown?.configuration && view === shown.view && runId === this.runId) return;
    this.shown = { configuration, view };
    const query = this.query(configuration);
    if (query === this.latest && runId === this.runId) return;
    this.latest = query;
    this.runId = runId;
    this.timer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  private write(): void {
    this.timer = undefined;
    try {
      const { href, search } = new URL(`${location.pathname}${this.latest}`, location.href);
      const mark: Partial<Mark> = this.runId === undefined ? {} : { turnwise: { run: this.runId, query: search } };
      history.replaceState({ ...history.state, ...mark }, '', href);
    } catch {
      // A sandboxed frame may forbid it; the link can still be copied.
    }
  }
}
