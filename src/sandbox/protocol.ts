/** Messages between the host and its workers. */

import type { ImageParts } from './guest/image.ts';
import type { GuestProgram, GuestReport } from './types.ts';

/** A program on its way to the guest, with a nonce that is no use for another. */
export interface GuestRun {
  readonly nonce: string;
  readonly program: GuestProgram;
}

export interface GuestAnswer {
  readonly nonce: string;
  readonly report: GuestReport;
}

/** Programs, and answers, that travel in one message at most. To wake the other side takes as long as a test. */
export const MOST_TOGETHER = 16;

export type ToGuest =
  | ({ readonly type: 'boot' } & ImageParts)
  | { readonly type: 'run'; readonly programs: readonly GuestRun[] };

export type FromGuest =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string }
  /** Answers in the order of their programs; those of one message may wait for one another. */
  | { readonly type: 'answers'; readonly answers: readonly GuestAnswer[] };
