import type { AnyEnvironment } from '../../environments/environment.ts';
import { hasEqualOutcomes, variedGroup } from '../../rollouts/flatGroups.ts';
import { childrenOf, depthsOf, type Group } from '../../rollouts/forest.ts';
import type { SampledBatch } from '../collect/collector.ts';
import type { Command, GroupView, Message } from '../data/protocol.ts';
import type { Run } from '../run/run.ts';
import type { BatchWithCredit } from '../update/planUpdate.ts';
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

/** Maximum number of samples in a search for a group with different outcomes. */
const UNTIED_SAMPLES = 8;
/** Maximum number of samples in a search for a tied group. */
const TIE_SAMPLES = 32;
/** Range of turn rewards that ends the search for a tied group early. */
const CLEAR_RANGE = 0.5;

/** Returns the first sample whose group has different outcomes, or else the last sample. */
export async function sampleUntied(sample: () => Promise<SampledBatch>, attempts: number): Promise<SampledBatch> {
  let batch = await sample();
  for (let attempt = 1; attempt < attempts && hasEqualOutcomes(batch.groups[0]); attempt++) batch = await sample();
  return batch;
}

/** Tied group, and the range of its turn rewards. */
interface Tie {
  readonly batch: SampledBatch;
  readonly range: number;
}

/**
 * Searches for a tied group with different turn rewards. In such a group, turn-level credit has a signal that
 * outcome-only credit lacks.
 * @returns the tied sample with the largest range of turn rewards; undefined if no sample is tied
 */
export async function sampleTie(sample: () => Promise<SampledBatch>, attempts: number): Promise<Tie | undefined> {
  let best: Tie | undefined;
  for (let attempt = 0; attempt < attempts && !(best && best.range >= CLEAR_RANGE); attempt++) {
    const batch = await sample();
    if (!hasEqualOutcomes(batch.groups[0])) continue;
    const range = turnRewardRange(batch.groups[0]);
    if (!best || range > best.range) best = { batch, range };
  }
  return best;
}

/** Returns the largest difference between the rewards of turns at one depth. Last turns do not count. */
export function turnRewardRange(group: Group): number {
  const children = childrenOf(group);
  const depths = depthsOf(group);
  const bounds = new Map<number, readonly [low: number, high: number]>();
  for (const [turn, { reward }] of group.turns.entries()) {
    if (children[turn].length === 0) continue;
    const [low, high] = bounds.get(depths[turn]) ?? [reward, reward];
    bounds.set(depths[turn], [Math.min(low, reward), Math.max(high, reward)]);
  }
  return Math.max(0, ...[...bounds.values()].map(([low, high]) => high - low));
}

/**
 * Groups that are sampled with the current policy for display, without training. Each sample has different draws.
 */
export class Samples {
  private sampledCount = 0;
  /** Number of displayed samples. */
  private count = 0;

  constructor(
    private readonly page: { post(message: Message): void },
    private readonly feed: GroupFeed,
  ) {}

  /** Samples and displays one group. */
  async sampleGroup(run: Run): Promise<void> {
    await this.show(run, await this.play(run));
  }

  /** Displays a group with different outcomes, or the last of several samples. */
  async untied(run: Run): Promise<void> {
    await this.show(run, await sampleUntied(() => this.play(run), UNTIED_SAMPLES));
  }

  /** Displays the tied group whose turn rewards differ most. Sends `no-tie` if no group is tied or none differ. */
  async tied(run: Run): Promise<void> {
    const tie = await sampleTie(() => this.play(run), TIE_SAMPLES);
    if (tie) await this.show(run, tie.batch);
    if (!tie || tie.range === 0) this.page.post({ type: 'no-tie', samples: TIE_SAMPLES, isFlat: tie !== undefined });
  }

  private play({ trainer }: Run): Promise<SampledBatch> {
    return trainer.measurer.sample(this.sampledCount++);
  }

  private async show({ trainer }: Run, batch: SampledBatch): Promise<void> {
    this.count += 1;
    this.feed.add(await trainer.measurer.judge(batch), trainer.environment, this.count);
  }
}
