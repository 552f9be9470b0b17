/** Places of the page whose buttons are answered: what came of a press stands beside what was pressed. */
export type AnswerPlace = 'share' | 'runs';

/** What came of a press. */
export interface Answer {
  readonly text: string;
  readonly failed: boolean;
}

/** What the buttons of the page were answered with last: one answer a place, and the newest replaces what stood there. */
export class Answers {
  private latest: Partial<Record<AnswerPlace, Answer>> = {};

  /** @param changed is called after every change */
  constructor(private readonly changed: () => void) {}

  at(place: AnswerPlace): Answer | undefined {
    return this.latest[place];
  }

  done(place: AnswerPlace, text: string): void {
    this.put(place, { text, failed: false });
  }

  failed(place: AnswerPlace, text: string): void {
    this.put(place, { text, failed: true });
  }

  /** Another run begins: what was said of the one before does not hold any more. */
  clear(): void {
    this.latest = {};
    this.changed();
  }

  private put(place: AnswerPlace, answer: Answer): void {
    this.latest = { ...this.latest, [place]: answer };
    this.changed();
  }
}
