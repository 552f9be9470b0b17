import type { AnyEnvironment } from '../../environments/environment.ts';
import { variedGroup } from '../../rollouts/variedGroup.ts';
import type { SampledBatch } from '../collect/collectRequest.ts';
import type { Command, GroupView } from '../data/protocol.ts';
import type { BatchWithCredit } from '../update/exactCredit.ts';
import { groupView } from './groupViews.ts';
import type { DisplayedGroup } from './measuring.ts';

/** Milliseconds between two groups shown while a run plays; people do not read faster. */
const GROUP_MS = 250;
/**
 * Number of shown batches that are retained: the batches of two seconds. The page shows a group for 700 ms before the
 * next group replaces it. The page may send requests about this group while other groups are in transit.
 */
const RETAINED = 2000 / GROUP_MS;

type RetainedBatch = Omit<DisplayedGroup, 'group'> & BatchWithCredit & { readonly sample: number };

/** Keeps the last batch and shows one of its groups, not too often. */
export class GroupFeed {
  /** Every batch is shown, however fast they come. */
  showsEach = false;
  private last: RetainedBatch | undefined;
  private recent: readonly RetainedBatch[] = [];
  /** The group that the page asked for; before that `variedGroup`. */
  private chosen: number | undefined;
  /** The page stays at this batch. */
  private held: RetainedBatch | undefined;
  private updatedAt = -Infinity;
  /** The last batch was not shown yet. */
  private isPending = false;

  constructor(
    private readonly now: () => number,
    private readonly show: (group: GroupView) => void,
  ) {}

  /**
   * Takes a new batch. It is shown when the last group was visible long enough, a sample at once.
   * @param sample number of the sample, from 1; 0 for a batch that is trained on
   */
  add(result: BatchWithCredit & { readonly batch: SampledBatch }, environment: AnyEnvironment, sample = 0): void {
    const sampleOnly = sample > 0;
    this.last = { ...result, sampleOnly, sample };
    this.isPending = true;
    if (sampleOnly) this.held = undefined;
    if (this.held) return;
    if (sampleOnly || this.showsEach || this.now() - this.updatedAt >= GROUP_MS) this.display(environment);
  }

  /** Shows the last batch if it was passed over. */
  catchUp(environment: AnyEnvironment): void {
    if (this.isPending && !this.held) this.display(environment);
  }

  /**
   * Shows another group of the batch, or stays at a batch and leaves it again; without an environment, when there is
   * one again (catchUp).
   */
  handle(command: Extract<Command, { type: 'show' | 'hold' }>, environment: AnyEnvironment | undefined): void {
    if (command.type === 'hold') {
      this.held = command.of ? this.findRetained(command.of) : undefined;
      if (environment) this.catchUp(environment);
      return;
    }
    this.chosen = command.group;
    if (environment) this.display(environment);
    else this.isPending = true;
  }

  /**
   * Returns a group that was shown recently, identified by fields of its view; undefined if the group was removed.
   * Returns the present group if no fields are given.
   */
  find(of?: {
    readonly step: number;
    readonly group: number;
    readonly sampleOnly: boolean;
  }): DisplayedGroup | undefined {
    const retained = this.findRetained(of);
    if (!retained) return undefined;
    const group = of?.group ?? this.groupOf(retained.batch);
    return retained.batch.groups[group] && { ...retained, group };
  }

  clear(): void {
    this.last = undefined;
    this.held = undefined;
    this.recent = [];
    this.isPending = false;
  }

  private findRetained(of?: { readonly step: number; readonly sampleOnly: boolean }): RetainedBatch | undefined {
    const known = this.held ? [this.held, ...this.recent] : this.recent;
    return known.findLast(({ batch, sampleOnly }) => !of || (batch.step === of.step && sampleOnly === of.sampleOnly));
  }

  /** The group of a batch that is shown. */
  groupOf(batch: SampledBatch): number {
    return this.chosen === undefined ? variedGroup(batch.groups) : Math.min(this.chosen, batch.groups.length - 1);
  }

  private display(environment: AnyEnvironment): void {
    const displayed = this.held ?? this.last;
    if (!displayed) return;
    this.updatedAt = this.now();
    if (displayed === this.last) this.isPending = false;
    if (!this.recent.includes(displayed)) this.recent = [...this.recent, displayed].slice(-RETAINED);
    this.show(groupView(displayed, this.groupOf(displayed.batch), environment, displayed.sample));
  }
}
