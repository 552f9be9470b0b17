import type { Signature } from './vocabulary.ts';

/** One problem as its family writes it down. */
export interface Draft {
  readonly family: string;
  /** The prompt, word by word. */
  readonly promptTerms: readonly string[];
  readonly signature: Signature;
  /** Body of the function with choice sites (template.ts). */
  readonly template: string;
}

/** Takes a draft down. */
export type AddDraft = (family: string, phrase: string, signature: Signature, template: string) => void;
