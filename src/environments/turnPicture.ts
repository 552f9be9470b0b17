import type { Turn } from '../rollouts/forest.ts';

/** Token as text. */
export interface PicturedToken {
  readonly text: string;
  /** Kind of the token in the vocabulary. */
  readonly kind: string;
}

/** Turn of a rollout with its tokens. */
export interface PicturedTurn {
  readonly turn: Turn;
  /** Tokens that the policy wrote in the turn. */
  readonly written: readonly PicturedToken[];
  /** Tokens that the environment writes between this turn and the next turn. */
  readonly reply: readonly PicturedToken[];
  /** Tool call as text, for example `view("app.py")`. */
  readonly call?: string;
}

/**
 * Kind of a box: an executed action, no action although one is possible, an action that cannot be parsed, or another
 * turn.
 */
export type BoxKind = 'action' | 'skipped' | 'malformed' | 'plain';

/** Box of a turn in the picture of a group. */
export interface TurnBox {
  readonly kind: BoxKind;
  /** Text of at most a few words. */
  readonly text: string;
  /** Reply of the environment; the picture shows it in a box after the turn. */
  readonly reply?: string;
}

/** Function that returns the box of a turn in the picture of a group. */
export type TurnPicture = (turn: PicturedTurn) => TurnBox;
