import type { ParameterValues } from '../parameters/parameters.ts';
import type { PlayedBatch } from './collector.ts';
import type { UsedCredit } from './credits.ts';
import type { Shown } from './measuring.ts';
import type { AnyEnvironment } from './openEnvironment.ts';
import type { GroupView } from './protocol.ts';
import { groupView } from './views.ts';

/** Milliseconds between two groups shown while a run plays: nobody reads faster. */
const GROUP_MS = 250;
/** Batches that were shown and are kept: the page may ask about one while the next is on its way. */
const KEPT = 4;

interface Kept extends Omit<Shown, 'group'> {
  readonly credit: UsedCredit;
}

/** Keeps the last batch and shows one of its groups, not too often. */
export class GroupFeed {
  private last: Kept | undefined;
  private recent: readonly Kept[] = [];
  private shown = 0;
  private shownAt = -Infinity;
  /** The last batch was not shown yet. */
  private behind = false;

  constructor(
    private readonly now: () => number,
    private readonly show: (group: GroupView) => void,
  ) {}

  /** A new batch; shown when the last group has stood long enough, a sample at once. */
  take(
    batch: PlayedBatch,
    credit: UsedCredit,
    controls: ParameterValues,
    environment: AnyEnvironment,
    sampleOnly = false,
  ): void {
    this.last = { batch, credit, controls, sampleOnly };
    this.behind = true;
    if (sampleOnly || this.now() - this.shownAt >= GROUP_MS) this.display(environment);
  }

  /** Shows the last batch if it was passed over. */
  catchUp(environment: AnyEnvironment): void {
    if (this.behind) this.display(environment);
  }

  /** Shows another group of the last batch; without an environment, when there is one again (catchUp). */
  choose(group: number, environment: AnyEnvironment | undefined): void {
    this.shown = group;
    if (environment) this.display(environment);
    else this.behind = true;
  }

  /**
   * A group that was shown lately, by what its view says; undefined where it is gone. The present one where nothing is
   * said.
   */
  find(of?: { readonly step: number; readonly group: number; readonly sampleOnly: boolean }): Shown | undefined {
    const kept = this.recent.findLast(
      ({ batch, sampleOnly }) => !of || (batch.step === of.step && sampleOnly === of.sampleOnly),
    );
    const group = of?.group ?? Math.min(this.shown, (kept?.batch.groups.length ?? 1) - 1);
    return kept?.batch.groups[group] && { ...kept, group };
  }

  clear(): void {
    this.last = undefined;
    this.recent = [];
    this.behind = false;
  }

  private display(environment: AnyEnvironment): void {
    if (!this.last) return;
    this.shownAt = this.now();
    this.behind = false;
    const { batch, credit, controls, sampleOnly } = this.last;
    if (this.recent.at(-1) !== this.last) this.recent = [...this.recent, this.last].slice(-KEPT);
    this.show(groupView(batch, credit, this.shown, controls, environment, sampleOnly));
  }
}
