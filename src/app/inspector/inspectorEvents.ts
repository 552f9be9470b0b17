import type { CreditChoice } from './choice.ts';

/** Event with the new choice after the user selects a rule or changes a parameter. */
export class ChoiceEvent extends CustomEvent<CreditChoice> {
  constructor(choice: CreditChoice) {
    super('credit-choice', { detail: choice, bubbles: true, composed: true });
  }
}

/**
 * Event with the index of the turn that the user opens, or undefined when the user closes it. It does not extend
 * CustomEvent, which converts an undefined `detail` to null.
 */
export class TurnEvent extends Event {
  readonly detail: number | undefined;

  constructor(turn: number | undefined) {
    super('turn-choice', { bubbles: true, composed: true });
    this.detail = turn;
  }
}
