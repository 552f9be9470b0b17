import type { Turn } from '../rollouts/forest.ts';

/** A token in words. */
export interface PicturedToken {
  readonly text: string;
  /** As the vocabulary names it. */
  readonly kind: string;
}

/** A turn of a rollout with its tokens. */
export interface PicturedTurn {
  readonly turn: Turn;
  /** Tokens that the policy wrote in the turn. */
  readonly written: readonly PicturedToken[];
  /** Tokens of the environment between the turn and the next one. */
  readonly reply: readonly PicturedToken[];
  /** Call of a tool in words, for example `view("app.py")`. */
  readonly call?: string;
}

/** Kinds of boxes: the executed action, no action where one is possible, an action that cannot be read, and the rest. */
export type BoxKind = 'action' | 'skipped' | 'malformed' | 'plain';

/** Box of a turn in the picture of a group. */
export interface TurnBox {
  readonly kind: BoxKind;
  /** At most a few words. */
  readonly text: string;
  /** Reply of the environment; the picture shows it in a box after the turn. */
  readonly reply?: string;
}

/** Reads a turn for the picture of a group. */
export type TurnPicture = (turn: PicturedTurn) => TurnBox;
