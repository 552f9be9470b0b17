import { endsAlike } from '../../rollouts/endings.ts';
import type { PlayedBatch } from '../collect/collectRequest.ts';
import type { Message } from '../data/protocol.ts';
import type { Run } from '../run/run.ts';
import type { GroupFeed } from './groupFeed.ts';

/** Samples that are played, at most, to find one that is tied, or one that is not. */
const MOST_SAMPLES = 8;

/** A sample whose rollouts all end alike, or do not, or the last one of so many tries. */
export async function sampleThat(
  tied: boolean,
  sample: () => Promise<PlayedBatch>,
  tries: number,
): Promise<PlayedBatch> {
  let batch = await sample();
  for (let tried = 1; tried < tries && endsAlike(batch.groups[0]) !== tied; tried++) batch = await sample();
  return batch;
}

/** Groups that are sampled with the present policy to be looked at; nothing is learned from them, and no two are alike. */
export class Samples {
  private taken = 0;

  constructor(
    private readonly page: { post(message: Message): void },
    private readonly feed: GroupFeed,
  ) {}

  /** Shows one group. */
  async one(run: Run): Promise<void> {
    await this.show(run, await this.play(run));
  }

  /** Shows a group whose rollouts end differently, if there is one in some tries; otherwise the last that was tried. */
  async untied(run: Run): Promise<void> {
    await this.show(run, await sampleThat(false, () => this.play(run), MOST_SAMPLES));
  }

  /** Shows a group whose rollouts all end alike, or says that there was none in some tries. */
  async tied(run: Run): Promise<void> {
    const batch = await sampleThat(true, () => this.play(run), MOST_SAMPLES);
    if (endsAlike(batch.groups[0])) await this.show(run, batch);
    else this.page.post({ type: 'no-tie', samples: MOST_SAMPLES });
  }

  private play({ trainer }: Run): Promise<PlayedBatch> {
    return trainer.sample(this.taken++);
  }

  private async show({ trainer }: Run, batch: PlayedBatch): Promise<void> {
    this.feed.take(await trainer.judge(batch), trainer.environment, true);
  }
}
