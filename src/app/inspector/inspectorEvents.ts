import type { CreditChoice } from './choice.ts';

/** The reader chose a rule, or turned one of its parameters. */
export class ChoiceEvent extends CustomEvent<CreditChoice> {
  constructor(choice: CreditChoice) {
    super('credit-choice', { detail: choice, bubbles: true, composed: true });
  }
}

/** The reader wants to see a turn (its index in the group); undefined: no longer. A CustomEvent would make null of that. */
export class TurnEvent extends Event {
  readonly detail: number | undefined;

  constructor(turn: number | undefined) {
    super('turn-choice', { bubbles: true, composed: true });
    this.detail = turn;
  }
}
