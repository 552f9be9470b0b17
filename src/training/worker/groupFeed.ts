import type { AnyEnvironment } from '../../environments/environment.ts';
import { variedGroup } from '../../rollouts/flatGroups.ts';
import type { SampledBatch } from '../collect/collectRequest.ts';
import type { Command, GroupView } from '../data/protocol.ts';
import type { BatchWithCredit } from '../update/exactCredit.ts';
import { groupView } from './groupViews.ts';
import type { DisplayedGroup } from './measuring.ts';

/** Minimum time between two displayed groups while a run plays [ms]. Users do not read faster. */
const GROUP_MS = 250;
/**
 * Number of displayed batches that are retained: the batches of 2 s. The page displays a group for 700 ms, and can send
 * requests about it while other groups are in transit.
 */
const RETAINED = 2000 / GROUP_MS;

type RetainedBatch = Omit<DisplayedGroup, 'group'> & BatchWithCredit & { readonly sample: number };

/** Feed of groups for the page. It retains recent batches, and sends one group of a batch at a limited rate. */
export class GroupFeed {
  /** True to display a group of each batch, without a limit of the rate. */
  showsEach = false;
  private last: RetainedBatch | undefined;
  private recent: readonly RetainedBatch[] = [];
  /** Index of the group that the page selected; undefined for the default, `variedGroup`. */
  private chosen: number | undefined;
  /** Batch that the page holds on display; undefined if it displays new batches. */
  private held: RetainedBatch | undefined;
  private updatedAt = -Infinity;
  /** True if no group of the last batch was displayed yet. */
  private isPending = false;

  constructor(
    private readonly now: () => number,
    private readonly show: (group: GroupView) => void,
  ) {}

  /**
   * Adds a new batch. A group of it is displayed if the minimum time has passed. A sample is displayed immediately.
   * @param sample number of the sample, from 1; 0 for a batch of an update
   */
  add(result: BatchWithCredit & { readonly batch: SampledBatch }, environment: AnyEnvironment, sample = 0): void {
    const sampleOnly = sample > 0;
    this.last = { ...result, sampleOnly, sample };
    this.isPending = true;
    if (sampleOnly) this.held = undefined;
    if (this.held) return;
    if (sampleOnly || this.showsEach || this.now() - this.updatedAt >= GROUP_MS) this.display(environment);
  }

  /** Displays the last batch if `add` did not display it. */
  catchUp(environment: AnyEnvironment): void {
    if (this.isPending && !this.held) this.display(environment);
  }

  /**
   * Displays another group of the batch, or holds or releases a batch. Without an environment, the display follows with
   * the next `catchUp`.
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
   * Returns a recently displayed group, identified by fields of its view; undefined if it is no longer retained.
   * Without an argument, returns the current group.
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

  /** Returns the index of the displayed group of a batch. */
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
