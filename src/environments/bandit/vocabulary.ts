import type { Vocabulary } from '../environment.ts';
import { MAX_TABLES } from './banditSettings.ts';

/** Number of actions per turn. */
export const ACTIONS = 3;

/** Effects of a first action on the outcome, in the order of their tokens. */
export const EFFECTS = ['spoiled', 'enabled', 'nothing'] as const;
export type Effect = (typeof EFFECTS)[number];

const ACTION_NAMES = ['a', 'b', 'c'] as const;
const TABLE_NAMES = Array.from({ length: MAX_TABLES }, (_, table) => `t${table}`);
const MARKUP_NAMES = ['<table>', '</turn>'] as const;

export const FIRST_TABLE = ACTIONS;
export const FIRST_EFFECT = FIRST_TABLE + MAX_TABLES;
const FIRST_MARKUP = FIRST_EFFECT + EFFECTS.length;
/** Token before the table in the prompt. */
export const TABLE = FIRST_MARKUP;
/** Token at the end of the reply. */
export const TURN_END = FIRST_MARKUP + 1;

/**
 * The 12 tokens: actions a b c, tables t0..t3, effects, markup. The size is a multiple of three, so that each action
 * has the same number of tokens (`actionOf`).
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
 * Returns the action that a token represents: the token number modulo three. No token is invalid, which matters for
 * policies with random weights. The probability of an action is the sum over its tokens.
 */
export function actionOf(token: number): number {
  return token % ACTIONS;
}

/** Returns the displayed name of an action: `a`, `b` or `c`. */
export function actionName(action: number): string {
  return ACTION_NAMES[action];
}
