import type { Attack } from './attacks.ts';
import { attack, inF } from './attacksInterpreter.ts';

const MODULES = 'import collections, functools, heapq, itertools, math, operator, statistics';

/** Endless iterators. Their elements are falsy if possible, so that no consumer stops at the first element. */
const SOURCES: Readonly<Record<string, string>> = {
  count: 'itertools.count()',
  cycle: 'itertools.cycle([0, 1])',
  repeat: 'itertools.repeat(1)',
  sentinel: 'iter(int, 1)',
  map: 'map(abs, itertools.repeat(-1))',
  generator: '(x for x in iter(int, 1))',
  chain: 'itertools.chain.from_iterable(itertools.repeat([1, 2]))',
  filter: 'filter(None, itertools.count())',
  islice: 'itertools.islice(itertools.count(), 2_000_000_000)',
  range: 'range(2_000_000_000)',
};

/** Functions of C that read an iterator to its end. */
const CONSUMERS: Readonly<Record<string, string>> = {
  sum: 'sum(it)',
  list: 'list(it)',
  tuple: 'tuple(it)',
  set: 'set(it)',
  sorted: 'sorted(it)',
  max: 'max(it)',
  member: '"x" in it',
  deque: 'collections.deque(it, maxlen=0)',
  'dict.fromkeys': 'dict.fromkeys(it)',
  Counter: 'collections.Counter(it)',
  fsum: 'math.fsum(it)',
  reduce: 'functools.reduce(operator.and_, it)',
  nsmallest: 'heapq.nsmallest(2, it)',
  'operator.countOf': 'operator.countOf(it, "x")',
  'list.extend': '[].extend(it)',
  unpacking: '[*it]',
};

/** All pairs of consumer and source. No Python code runs between elements; only the step count stops it. */
export const ATTACKS_ENDLESS: Readonly<Record<string, readonly Attack[]>> = Object.fromEntries(
  Object.entries(CONSUMERS).map(([consumer, call]) => [
    `endless iterators for ${consumer}`,
    Object.entries(SOURCES).map(([source, iterator]) =>
      attack(source, 'limit', /fuel|memory/, inF(MODULES, `it = ${iterator}`, `return ${call}`)),
    ),
  ]),
);
