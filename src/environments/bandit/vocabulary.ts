import type { Vocabulary } from '../environment.ts';
import { MAX_TABLES } from './banditSettings.ts';

/** Actions of a turn. */
export const ACTIONS = 3;

/** Effects that a first action can have on the outcome, in the order of their tokens. */
export const EFFECTS = ['spoiled', 'enabled', 'nothing'] as const;
export type Effect = (typeof EFFECTS)[number];

const ACTION_NAMES = ['a', 'b', 'c'] as const;
const TABLE_NAMES = Array.from({ length: MAX_TABLES }, (_, table) => `t${table}`);
const MARKUP_NAMES = ['<table>', '</turn>'] as const;

export const FIRST_TABLE = ACTIONS;
export const FIRST_EFFECT = FIRST_TABLE + MAX_TABLES;
const FIRST_MARKUP = FIRST_EFFECT + EFFECTS.length;
/** Before the table of the prompt. */
export const TABLE = FIRST_MARKUP;
/** Behind the reply. */
export const TURN_END = FIRST_MARKUP + 1;

/**
 * The 12 tokens: actions a b c, tables t0..t3, effects, markup. Their number is a multiple of three, so that each action has
 * as many tokens as another (`actionOf`).
 */
export const BANDIT_VOCABULARY: Vocabulary = {
  size: FIRST_MARKUP + MARKUP_NAMES.length,
  names: [...ACTION_NAMES, ...TABLE_NAMES, ...EFFECTS, ...MARKUP_NAMES],
  kind: tokenKind,
};

function tokenKind(token: number): string {
  if (!Number.isInteger(token) || token < 0 || token >= BANDIT_VOCABULARY.size) {
    throw new RangeError(`${token} is not a token of the bandit (0 to ${BANDIT_VOCABULARY.size - 1})`);
  }
  if (token < FIRST_TABLE) return 'action';
  if (token < FIRST_EFFECT) return 'table';
  return token < FIRST_MARKUP ? 'effect' : 'markup';
}

/**
 * The action that a token represents: its number modulo three. So no token is invalid, whatever a policy with random
 * weights writes. The probability of an action is the sum over the tokens that represent it.
 */
export function actionOf(token: number): number {
  return token % ACTIONS;
}

/** An action as people read it: `a`, `b` or `c`. */
export function actionName(action: number): string {
  return ACTION_NAMES[action];
}
