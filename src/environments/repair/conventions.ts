import { hiddenSite, site } from './template.ts';

const EMPTY = ['0', '-1', 'None'] as const;

/** Value to return for an empty list. The prompt states it, or it is a hidden convention. */
export interface EmptyValue {
  /** End of the prompt, with a space before it; empty if the convention is hidden. */
  readonly phrase: string;
  readonly site: string;
}

/**
 * Returns the phrase and the choice site of an empty value.
 * @param right index of the right value: 0, -1 or None
 */
export function emptyValue(right: number, isStated: boolean): EmptyValue {
  const value = EMPTY[right];
  if (!isStated) return { phrase: '', site: hiddenSite(EMPTY, right) };
  const phrase = ` else ${value === '-1' ? 'neg 1' : value}`;
  return { phrase, site: site(value, ...EMPTY.filter((candidate) => candidate !== value)) };
}
