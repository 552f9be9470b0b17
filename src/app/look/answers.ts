/** Places of the page whose buttons have answers. The result of a press appears next to the pressed button. */
export type AnswerLocation = 'share' | 'runs';

/** Result of a press. */
export interface Answer {
  readonly text: string;
  readonly failed: boolean;
}

/** Last answers of the buttons of the page. There is one answer a place, and the newest replaces the answer before. */
export class Answers {
  private latest: Partial<Record<AnswerLocation, Answer>> = {};

  /** @param changed is called after every change */
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

  /** Another run begins: the answers for the run before no longer apply. */
  clear(): void {
    this.latest = {};
    this.changed();
  }

  private put(slot: AnswerLocation, answer: Answer): void {
    this.latest = { ...this.latest, [slot]: answer };
    this.changed();
  }
}
