import type { Signature } from './vocabulary.ts';

/** Problem in the form in which its family declares it. */
export interface Draft {
  readonly family: string;
  /** Words of the prompt. */
  readonly promptTerms: readonly string[];
  readonly signature: Signature;
  /** Body of the function with choice sites (template.ts). */
  readonly template: string;
}

/** Function that adds a draft. */
export type AddDraft = (family: string, phrase: string, signature: Signature, template: string) => void;
