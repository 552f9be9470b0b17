import type { Signature } from './vocabulary.ts';

/** One problem as its family writes it down. */
export interface Draft {
  readonly family: string;
  /** The prompt, word by word. */
  readonly words: readonly string[];
  readonly signature: Signature;
  /** Body of the function with choice sites (template.ts). */
  readonly template: string;
}

/** Takes a draft down. */
export type AddDraft = (family: string, words: string, signature: Signature, template: string) => void;
