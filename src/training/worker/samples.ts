import { hasEqualOutcomes } from '../../rollouts/flatGroups.ts';
import { childrenOf, depthsOf, type Group } from '../../rollouts/forest.ts';
import type { SampledBatch } from '../collect/collectRequest.ts';
import type { Message } from '../data/protocol.ts';
import type { Run } from '../run/run.ts';
import type { GroupFeed } from './groupFeed.ts';

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
    return trainer.sample(this.sampledCount++);
  }

  private async show({ trainer }: Run, batch: SampledBatch): Promise<void> {
    this.count += 1;
    this.feed.add(await trainer.judge(batch), trainer.environment, this.count);
  }
}
