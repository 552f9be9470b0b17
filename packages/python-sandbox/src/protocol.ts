/** Messages between the host and its workers. */

import type { ImageParts } from './guest/image.ts';
import type { SandboxProgram, SandboxReport } from './types.ts';

/** Program for a worker, with a nonce that is valid for this program only. */
export interface SandboxRequest {
  readonly nonce: string;
  readonly program: SandboxProgram;
}

export interface SandboxResponse {
  readonly nonce: string;
  readonly report: SandboxReport;
}

/** Maximum number of programs or answers in a message. They share it: waking the receiver takes as long as a test. */
export const MAX_MESSAGE_PROGRAMS = 16;

export type HostToWorkerMessage =
  | ({ readonly type: 'boot' } & ImageParts)
  | { readonly type: 'run'; readonly programs: readonly SandboxRequest[] };

export type WorkerToHostMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string }
  /** Answers in the order of their programs. Answers of one message of programs can be delayed and sent together. */
  | { readonly type: 'answers'; readonly answers: readonly SandboxResponse[] };
