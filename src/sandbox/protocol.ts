/** Messages between the host and its workers. */

import type { ImageParts } from './guest/image.ts';
import type { SandboxProgram, SandboxReport } from './types.ts';

/** A program on its way to the guest, with a nonce that is no use for another. */
export interface SandboxRequest {
  readonly nonce: string;
  readonly program: SandboxProgram;
}

export interface SandboxResponse {
  readonly nonce: string;
  readonly report: SandboxReport;
}

/** Programs, and answers, that travel in one message at most. To wake the other side takes as long as a test. */
export const MAX_MESSAGE_PROGRAMS = 16;

export type HostToWorkerMessage =
  | ({ readonly type: 'boot' } & ImageParts)
  | { readonly type: 'run'; readonly programs: readonly SandboxRequest[] };

export type WorkerToHostMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string }
  /** Answers in the order of their programs; those of one message may wait for one another. */
  | { readonly type: 'answers'; readonly answers: readonly SandboxResponse[] };
