import type { Environment } from '../environments/environment.ts';
import type { ParameterValues } from '../parameters/parameters.ts';
import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';
import type { GroupView } from './protocol.ts';
import { groupView } from './views.ts';

/** Milliseconds between two groups shown while a run plays: nobody reads faster. */
const GROUP_MS = 250;

/** Keeps the last batch and shows one of its groups, not too often. */
export class GroupFeed {
  private last: { batch: RolloutBatch; controls: ParameterValues; sampleOnly: boolean } | undefined;
  private shown = 0;
  private shownAt = -Infinity;

  constructor(
    private readonly now: () => number,
    private readonly show: (group: GroupView) => void,
  ) {}

  /** A new batch; shown at once where `always`, else when the last group has stood long enough. */
  take(
    batch: RolloutBatch,
    controls: ParameterValues,
    environment: Environment,
    always: boolean,
    sampleOnly = false,
  ): void {
    this.last = { batch, controls, sampleOnly };
    if (always || this.now() - this.shownAt >= GROUP_MS) this.display(environment);
  }

  /** Shows another group of the last batch. */
  choose(group: number, environment: Environment | undefined): void {
    this.shown = group;
    if (environment) this.display(environment);
  }

  clear(): void {
    this.last = undefined;
  }

  private display(environment: Environment): void {
    if (!this.last) return;
    this.shownAt = this.now();
    const { batch, controls, sampleOnly } = this.last;
    this.show(groupView(batch, this.shown, controls, environment, sampleOnly));
  }
}
