import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { readUrl, type UrlReading, type View, writeUrl } from './url.ts';

/** Browsers refuse more than some hundred address changes in half a minute. */
const WRITE_EVERY_MS = 500;

/** Entry that the page stores in the history with an address that it wrote. */
interface Mark {
  readonly turnwise: { readonly run: string; readonly query: string };
}

/** Runs in addition to the first. */
type AdditionalRuns = readonly RunConfiguration[];

/**
 * Reads the page's address, then keeps it up to date with the run. Small changes replace the address. Another run is a
 * separate entry in the history, so that Back returns to the run before.
 */
export class UrlController implements ReactiveController {
  /** Meaning of the address when the page was opened, or when Back or Forward last came to the address. */
  reading: UrlReading;
  view: View;
  /** The run that this address was written for; undefined for an address that came from elsewhere. */
  runId: string | undefined;
  /** Called when Back or Forward came to another entry; `reading` and `runId` are its. */
  travelled: () => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest = '';
  /** Query of the address, as the page last read or wrote it. A pending write has not changed it yet. */
  private addressQuery = location.search;
  private displayedLink: { readonly runs: readonly RunConfiguration[]; readonly view: View } | undefined;

  constructor(private readonly host: ReactiveControllerHost) {
    this.reading = readUrl(location.search);
    this.view = this.reading.view;
    this.runId = markedRun();
    host.addController(this);
  }

  hostConnected(): void {
    window.addEventListener('popstate', this.travel);
    if (this.timer !== undefined) this.scheduleWrite();
  }

  hostDisconnected(): void {
    window.removeEventListener('popstate', this.travel);
    // A pending write resumes if the page is connected again.
    clearTimeout(this.timer);
  }

  setView(view: View, configuration: RunConfiguration, additional: AdditionalRuns = []): void {
    this.view = view;
    this.show(configuration, this.runId, additional);
    this.host.requestUpdate();
  }

  /** The query of a configuration under the present view. */
  query(configuration: RunConfiguration, additional: AdditionalRuns = []): string {
    return writeUrl(configuration, this.view, additional);
  }

  /** Puts the configuration into the address after a short delay, together with the id of the run. */
  show(configuration: RunConfiguration, runId = this.runId, additional: AdditionalRuns = []): void {
    const { displayedLink, view } = this;
    const runs = [configuration, ...additional];
    const same =
      displayedLink?.runs.length === runs.length && runs.every((run, index) => run === displayedLink.runs[index]);
    if (same && view === displayedLink?.view && runId === this.runId) return;
    this.displayedLink = { runs, view };
    const query = this.query(configuration, additional);
    if (query === this.latest && runId === this.runId) return;
    this.latest = query;
    this.runId = runId;
    if (this.timer === undefined) this.scheduleWrite();
  }

  /** Another run begins: the address of the one before stays behind it. */
  enter(configuration: RunConfiguration, runId: string, additional: AdditionalRuns = []): void {
    if (this.timer !== undefined) this.write();
    this.displayedLink = { runs: [configuration, ...additional], view: this.view };
    this.latest = this.query(configuration, additional);
    this.runId = runId;
    this.write('pushState');
  }

  /** If this page wrote the entry, loads the run of the entry; otherwise the user has only moved on the page. */
  private travel = (): void => {
    const run = markedRun();
    if ((run === undefined || run === this.runId) && location.search === this.addressQuery) return;
    // The pending write belongs to the entry that was left.
    clearTimeout(this.timer);
    this.timer = undefined;
    this.displayedLink = undefined;
    this.latest = '';
    this.runId = run;
    this.addressQuery = location.search;
    this.reading = readUrl(location.search);
    this.view = this.reading.view;
    this.travelled();
  };

  private scheduleWrite(): void {
    this.timer = setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  private write(how: 'replaceState' | 'pushState' = 'replaceState'): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      // The user's position on the page does not change.
      const { href } = new URL(`${location.pathname}${this.latest}${location.hash}`, location.href);
      const search = searchOf(this.latest);
      const mark: Partial<Mark> = this.runId === undefined ? {} : { turnwise: { run: this.runId, query: search } };
      history[how]({ ...history.state, ...mark }, '', href);
      this.addressQuery = location.search;
    } catch {
      // A sandboxed frame may forbid it; the link can still be copied.
    }
  }
}

/** The run that the present entry was written for; undefined for an address that this page did not write. */
function markedRun(): string | undefined {
  const { run, query } = (history.state as Mark | null)?.turnwise ?? {};
  return query === location.search ? run : undefined;
}

/** A query as the browser writes it. */
function searchOf(query: string): string {
  return new URL(`${location.pathname}${query}`, location.href).search;
}
