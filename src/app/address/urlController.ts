import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { readUrl, type UrlReading, type View, writeUrl } from './url.ts';

/** Minimum time between two changes of the address. Browsers refuse more than about a hundred changes in 30 s. */
const WRITE_EVERY_MS = 500;

/** Data that the page stores in the history entry of an address that it wrote. */
interface Mark {
  readonly turnwise: { readonly run: string; readonly query: string };
}

/** Additional runs. */
type AdditionalRuns = readonly RunConfiguration[];

/**
 * Reads the address of the page and then updates it with the run. Changes of the run replace the address. Another run
 * is a separate entry of the history, so that Back returns to the previous run.
 */
export class UrlController implements ReactiveController {
  /** Contents of the address when the page opened, or when Back or Forward last reached another entry. */
  reading: UrlReading;
  view: View;
  /** Id of the run for which the page wrote the address; undefined if the page did not write it. */
  runId: string | undefined;
  /** Called after Back or Forward reached another entry and `reading` and `runId` were updated. */
  travelled: () => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest = '';
  /** Query of the address when the page last read or wrote it. Pending writes are not included. */
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

  /** Returns the query of a configuration with the present view. */
  query(configuration: RunConfiguration, additional: AdditionalRuns = []): string {
    return writeUrl(configuration, this.view, additional);
  }

  /** Writes the configuration to the address after a short delay, with the id of the run. */
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

  /** Writes another run as a new entry of the history. The previous entry retains its run. */
  enter(configuration: RunConfiguration, runId: string, additional: AdditionalRuns = []): void {
    if (this.timer !== undefined) this.write();
    this.displayedLink = { runs: [configuration, ...additional], view: this.view };
    this.latest = this.query(configuration, additional);
    this.runId = runId;
    this.write('pushState');
  }

  /** Handles Back and Forward. If only the part after `#` changed, the run stays. */
  private travel = (): void => {
    const run = markedRun();
    if ((run === undefined || run === this.runId) && location.search === this.addressQuery) return;
    // The pending write is for the previous entry.
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
      // The part after `#` stays, so the view does not change.
      const { href } = new URL(`${location.pathname}${this.latest}${location.hash}`, location.href);
      const search = searchOf(this.latest);
      const mark: Partial<Mark> = this.runId === undefined ? {} : { turnwise: { run: this.runId, query: search } };
      history[how]({ ...history.state, ...mark }, '', href);
      this.addressQuery = location.search;
    } catch {
      // A sandboxed frame may forbid changes of the history. Users can still copy the link.
    }
  }
}

/** Returns the id of the run for which the page wrote the present entry, or undefined if it did not write the entry. */
function markedRun(): string | undefined {
  const { run, query } = (history.state as Mark | null)?.turnwise ?? {};
  return query === location.search ? run : undefined;
}

/** Returns a query in the browser's encoding. */
function searchOf(query: string): string {
  return new URL(`${location.pathname}${query}`, location.href).search;
}
