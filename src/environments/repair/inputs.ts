import type { CounterRandom } from '../../random/counter.ts';
import type { Value } from '../../sandbox/types.ts';
import type { Signature } from './vocabulary.ts';

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
