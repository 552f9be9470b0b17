import type { Command, Message, ModelProgress } from '../data/protocol.ts';
import type { Run } from '../run/run.ts';

/** What the page asks for that the training of a reward model makes way for at once; it goes on when the run goes on. */
const ALWAYS: readonly Command['type'][] = ['pause', 'start', 'warm-start', 'leave', 'cancel-truth'];
/** The same while the run plays: it would have been done between two updates. */
const WHILE_PLAYING: readonly Command['type'][] = [
  ...(['change', 'drop-plan', 'save', 'sample', 'find-tie', 'step', 'slow-motion', 'measure-truth'] as const),
];

/** The training of reward models that a run makes before it can go on: the page is told how far it is, and it stops for what the page asks. */
export class Makings {
  private controller = new AbortController();

  constructor(private readonly page: { post(message: Message): void }) {}

  /** What the run makes is watched. */
  watch({ trainer }: Run): void {
    const signal = () => this.controller.signal;
    const progress = (progress: ModelProgress) => this.page.post({ type: 'reward-model', ...progress });
    trainer.payment.making = { progress, signal };
  }

  /** @param playing whether the run played until then */
  hear({ type }: Command, playing: boolean): void {
    if (!ALWAYS.includes(type) && !(playing && WHILE_PLAYING.includes(type))) return;
    this.controller.abort();
    // What is begun from here on is another matter.
    this.controller = new AbortController();
  }
}
