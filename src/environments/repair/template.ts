import type { Value } from '@turnwise/python-sandbox/types';
import type { CounterRandom } from '../../random/counter.ts';
import type { Signature } from './vocabulary.ts';

/**
 * Program with choice sites. `{A|B|C}` is a site whose first option is right; the other options are typical bugs.
 * `{A?B?C}` is a hidden convention: A is right for this problem, but the prompt does not state it.
 */
export interface Template {
  /** Text around the sites, [sites + 1]. */
  readonly parts: readonly string[];
  readonly sites: readonly Site[];
}

export interface Site {
  /** Texts of the options, with the right one first. */
  readonly options: readonly string[];
  /** True if the prompt does not determine the right option. */
  readonly hidden: boolean;
}

/**
 * Parses a template.
 * @throws {RangeError} for a site with fewer than two options
 */
export function parseTemplate(text: string): Template {
  const parts: string[] = [];
  const sites: Site[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{([^{}]*)\}/g)) {
    const hidden = match[1].includes('?');
    const options = match[1].split(hidden ? '?' : '|');
    if (options.length < 2) throw new RangeError(`site ${match[0]} has one option`);
    parts.push(text.slice(end, match.index));
    sites.push({ options, hidden });
    end = match.index + match[0].length;
  }
  return { parts: [...parts, text.slice(end)], sites };
}

/**
 * Returns the source of a choice of options.
 * @param choice index of the option of each site, [sites]
 */
export function renderTemplate({ parts, sites }: Template, choice: readonly number[]): string {
  return parts[0] + sites.map(({ options }, site) => options[choice[site]] + parts[site + 1]).join('');
}

/** Returns all choices, with the right program first. The last site changes fastest. */
export function allChoices({ sites }: Template): number[][] {
  return sites.reduce<number[][]>(
    (choices, { options }) => choices.flatMap((choice) => options.map((_, option) => [...choice, option])),
    [[]],
  );
}

/** Returns the text of a site. */
export function site(right: string, ...wrong: readonly string[]): string {
  return `{${[right, ...wrong].join('|')}}`;
}

/** Returns the text of a hidden convention whose right option has the index `right`. */
export function hiddenSite(options: readonly string[], right: number): string {
  return `{${[options[right], ...options.filter((_, index) => index !== right)].join('?')}}`;
}

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

/**
 * Returns candidate arguments for the tests of a problem. Edge cases are first, followed by random arguments near the
 * numbers of the prompt.
 * @param literals numbers in the prompt
 */
export function candidateInputs(
  signature: Signature,
  random: CounterRandom,
  literals: readonly number[],
): readonly (readonly Value[])[] {
  const pick = <Item>(items: readonly Item[]) => items[random.integer(items.length)];
  const number = () => {
    if (literals.length > 0 && random.next() < 0.4) return pick(literals) + pick([0, 0, 1, -1]);
    return random.integer(19) - 6;
  };
  const list = () => {
    const members = Array.from({ length: pick([1, 2, 3, 4, 4, 5, 5, 6]) }, number);
    if (members.length > 2 && random.next() < 0.4) members[random.integer(members.length)] = pick(members);
    return members;
  };
  const lists = () => [...EDGE_LISTS, ...literals.flatMap(listsAround), ...repeat(36, list)];
  switch (signature) {
    case 'a':
      return lists().map((a) => [a]);
    case 'ak':
      return lists().map((a) => [a, pick([...a, number()])]);
    case 'ab':
      return lists().map((a) => [a, list()]);
    case 'n':
      return [...EDGE_NUMBERS, 10 * (2 + random.integer(8)), 100, 123, -12, -45].map((n) => [n]);
    case 'nk':
      return [0, 1, 2, 3, 4, 6, 8, 9, 12].flatMap((n) => [0, 1, 2, 3, 4, 6].map((k) => [n, k]));
    case 's': {
      const text = () => repeat(2 + random.integer(5), () => pick([...'aabbcdeux'])).join('');
      return [...EDGE_STRINGS, ...repeat(30, text)].map((s) => [s]);
    }
  }
}

/** Maximum number of repetitions in a list. Longer lists do not fit into feedback. */
const LONGEST_REPEAT = 6;
const EDGE_LISTS = [[], [0], [1], [-1], [-3, -2], [2, 2], [3, 3, 3], [5, 4, 3], [1, 2, 3]];
const EDGE_NUMBERS = [
  ...Array.from({ length: 22 }, (_, index) => index - 2),
  ...[24, 28, 30, 35, 36, 37, 49, 55, 77, 90, 99],
];
const EDGE_STRINGS = ['', 'a', 'b', 'e', 'ab', 'aa', 'aba', 'abc', 'cc', 'xx', 'u', 'de', 'edcba', 'Ab'];

/**
 * Returns lists around a number: the number alone, the number before its successor and, for "at least k times", k
 * repetitions.
 */
function listsAround(k: number): number[][] {
  return [[k], [k, k + 1], ...(k > 1 && k <= LONGEST_REPEAT ? [repeat(k, () => k)] : [])];
}

function repeat<Item>(count: number, create: () => Item): Item[] {
  return Array.from({ length: count }, create);
}
