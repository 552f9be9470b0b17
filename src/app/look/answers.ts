/** Part of the page in which the result of a press is shown, next to the pressed button. */
export type AnswerLocation = 'share' | 'runs';

/** Result of a press: the message to show, and whether the action failed. */
export interface Answer {
  readonly text: string;
  readonly failed: boolean;
}

/** Stores the last answer of each location. A new answer replaces the previous one. */
export class Answers {
  private latest: Partial<Record<AnswerLocation, Answer>> = {};

  /** @param changed callback that runs after each change */
  constructor(private readonly changed: () => void) {}

  at(slot: AnswerLocation): Answer | undefined {
    return this.latest[slot];
  }

  done(slot: AnswerLocation, text: string): void {
    this.put(slot, { text, failed: false });
  }

  failed(slot: AnswerLocation, text: string): void {
    this.put(slot, { text, failed: true });
  }

  /** Removes all answers. Called when another run starts, because the answers belong to the previous run. */
  clear(): void {
    this.latest = {};
    this.changed();
  }

  private put(slot: AnswerLocation, answer: Answer): void {
    this.latest = { ...this.latest, [slot]: answer };
    this.changed();
  }
}
