import { hiddenSite, site } from './template.ts';

const EMPTY = ['0', '-1', 'None'] as const;

/** Value to return for an empty list: given in the prompt, or a hidden convention. */
export interface EmptyValue {
  /** Words at the end of the prompt, with a space before them; none where the convention is hidden. */
  readonly phrase: string;
  readonly site: string;
}

/** @param right index of 0, -1 or None */
export function emptyValue(right: number, isStated: boolean): EmptyValue {
  const value = EMPTY[right];
  if (!isStated) return { phrase: '', site: hiddenSite(EMPTY, right) };
  const phrase = ` else ${value === '-1' ? 'neg 1' : value}`;
  return { phrase, site: site(value, ...EMPTY.filter((candidate) => candidate !== value)) };
}
