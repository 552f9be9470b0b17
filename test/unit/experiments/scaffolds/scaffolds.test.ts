import { describe, expect, test } from 'vitest';
import { bestOfN } from '../../../../src/experiments/scaffolds/evaluateScaffolds.ts';
import {
  type AttemptedProgram,
  dot,
  dotReflections,
  FRESH,
  lats,
  REFLEXION,
  type Scaffold,
} from '../../../../src/experiments/scaffolds/scaffold.ts';

/** Creates a tree from [parent, share of visible tests, verifier, program]. Programs differ by default. */
const tree = (
  ...nodes: readonly (readonly [number, number, (number | undefined)?, string?])[]
): readonly AttemptedProgram[] =>
  nodes.map(([parent, visible, verified, program], index) => ({
    ...{ parent, visible, program: program ?? `program ${index}` },
    ...(verified === undefined ? {} : { verified }),
  }));

/** Returns the parents that a scaffold requests if its programs pass these shares of visible tests. */
function grow(scaffold: Scaffold, shares: readonly number[], draw = 0): readonly number[] {
  const attempts: AttemptedProgram[] = [];
  const parents: number[] = [];
  while (attempts.length < shares.length) {
    const next = scaffold.next(attempts, draw).slice(0, shares.length - attempts.length);
    if (next.length === 0) break;
    for (const parent of next) {
      parents.push(parent);
      attempts.push({ parent, visible: shares[attempts.length], program: `program ${attempts.length}` });
    }
  }
  return parents;
}

test('without attempts, a scaffold requests a fresh program and has no answer', () => {
  for (const scaffold of [bestOfN(false), lats({ children: 2, exploration: 1, verifierWeight: 0.5 }), dot(3)]) {
    expect(() => scaffold.answer([])).toThrow('there is no answer');
    expect(scaffold.next([], 0)).toEqual([FRESH]);
  }
});

describe('best of N', () => {
  test('best of N requests first programs, and without a verifier stops if one passes the visible tests', () => {
    expect(grow(bestOfN(false), [0.5, 0.25, 1, 0])).toEqual([FRESH, FRESH, FRESH]);
    // A verifier can prefer a later program.
    expect(grow(bestOfN(true), [0.5, 0.25, 1, 0])).toEqual([FRESH, FRESH, FRESH, FRESH]);
  });

  test('best of N answers with most visible tests, then highest verifier score, then the first program', () => {
    const plain = tree([FRESH, 0.25], [FRESH, 0.75], [FRESH, 0.5], [FRESH, 0.75]);
    expect(bestOfN(false).answer(plain)).toBe(1);
    const verified = tree([FRESH, 0.75, 0.2], [FRESH, 1, 0.3], [FRESH, 1, 0.4], [FRESH, 0, 0.9], [FRESH, 1, 0.4]);
    expect([1, 2, 3, 4, 5].map((budget) => bestOfN(true).answer(verified.slice(0, budget)))).toEqual([0, 1, 2, 2, 2]);
  });
});

describe('LATS', () => {
  const search = lats({ children: 3, exploration: 1, verifierWeight: 0.5 });

  test('LATS descends to the child of highest UCT, which can differ from the child of highest mean', () => {
    const first = tree([FRESH, 0.25], [0, 0.5], [0, 0.25], [0, 0]);
    expect(search.next(first, 0)).toEqual([1, 1, 1]);
    // N(root) = 7. UCT of 1: (.5 + .25) / 4 + sqrt(ln 7 / 4) = .885; of 2: .25 + sqrt(ln 7) = 1.645; of 3: 1.395.
    const second = [...first, ...tree([1, 0.25], [1, 0], [1, 0])];
    expect(search.next(second, 0)).toEqual([2, 2, 2]);
    // Without exploration, the highest mean is selected: 1 has .1875, 2 has .25.
    const greedy = lats({ children: 1, exploration: 0, verifierWeight: 0.5 });
    expect(greedy.next(second, 0)).toEqual([2]);
    // Below 1, the child of highest mean is 3.
    const deeper = tree([FRESH, 0.25], [0, 0.75], [0, 0], [1, 0.75], [1, 0.5]);
    expect(greedy.next(deeper, 0)).toEqual([3]);
  });

  test('LATS explores with the square root of ln N / n', () => {
    const search = lats({ children: 3, exploration: 0.5, verifierWeight: 0.5 });
    // N(root) = 7. UCT of 1: .9 + .5 sqrt(ln 7 / 4) = 1.249; of 2: .25 + .5 sqrt(ln 7) = .947. Without the root: 1.143, 1.223.
    const attempts = tree([FRESH, 0.25], [0, 0.9], [0, 0.25], [0, 0], [1, 0.9], [1, 0.9], [1, 0.9]);
    expect(search.next(attempts, 0)).toEqual([4, 4, 4]);
  });

  test('LATS selects the older of equal children', () => {
    expect(search.next(tree([FRESH, 0], [0, 0.25], [0, 0.25], [0, 0.25]), 0)).toEqual([1, 1, 1]);
  });

  test('LATS ends when all visible tests pass, and within its budget', () => {
    expect(grow(search, [1, 0, 0])).toEqual([FRESH]);
    // Programs that are expanded together are sampled together.
    expect(grow(search, [0.25, 0.5, 1, 0, 0.5])).toEqual([FRESH, 0, 0, 0]);
    expect(grow(search, [0.25, 0.5, 0.25])).toEqual([FRESH, 0, 0]);
  });

  test('LATS values include the verifier, and its answer passes all visible tests or has the highest value', () => {
    // Values: (.25 + .1) / 2 = .175; (.75 + .1) / 2 = .425; (.5 + .9) / 2 = .7
    const attempts = tree([FRESH, 0.25, 0.1], [0, 0.75, 0.1], [0, 0.5, 0.9]);
    expect(search.answer(attempts)).toBe(2);
    expect(search.next(attempts, 0)).toEqual([2, 2, 2]);
    expect(lats({ children: 3, exploration: 1, verifierWeight: 0 }).answer(attempts)).toBe(1);
    expect(search.answer([...attempts, ...tree([2, 1, 0])])).toBe(3);
    // If values are equal, the first program is the answer.
    expect(search.answer(tree([FRESH, 0.5], [0, 0.5]))).toBe(0);
  });
});

describe('DoT', () => {
  const levels = dot(3);

  test('DoT continues from one program of a level, drawn in proportion to passed visible tests', () => {
    // Programs 1, 2, 3 have shares 0, .25, .75: draws up to .25 select 2, larger draws select 3.
    const attempts = tree([FRESH, 0], [0, 0], [0, 0.25], [0, 0.75]);
    expect([0, 0.24, 0.26, 0.99].map((draw) => levels.next(attempts, draw)[0])).toEqual([2, 2, 3, 3]);
    expect(levels.next(attempts, 0.5)).toEqual([3, 3, 3]);
    // If no program passes any test, all have the same probability.
    const none = tree([FRESH, 0], [0, 0], [0, 0], [0, 0]);
    expect([0.1, 0.5, 0.9].map((draw) => levels.next(none, draw)[0])).toEqual([1, 2, 3]);
  });

  test('DoT replaces repeated programs by further samples, up to twice the width', () => {
    const same = tree(
      [FRESH, 0.25, undefined, 'a'],
      [0, 0.5, undefined, 'b'],
      [0, 0.25, undefined, 'a'],
      [0, 0.5, undefined, 'b'],
    );
    // One of the three is new.
    expect(levels.next(same, 0)).toEqual([0, 0]);
    const another = [...same, ...tree([0, 0.25, undefined, 'c'], [0, 0.5, undefined, 'b'])];
    expect(levels.next(another, 0)).toEqual([0]);
    // Six were sampled: the search continues from the new ones, b (.5) and c (.25).
    const extended = [...another, ...tree([0, 0.5, undefined, 'b'])];
    expect([0.6, 0.7].map((draw) => levels.next(extended, draw))).toEqual([
      [1, 1, 1],
      [4, 4, 4],
    ]);
  });

  test('DoT restarts if a level has no new program, and continues from any program after a failed restart', () => {
    const a = [0, 0.25, undefined, 'a'] as const;
    const stuck = tree([FRESH, 0.25, undefined, 'a'], a, a, a, a, a, a);
    expect(levels.next(stuck, 0)).toEqual([FRESH, FRESH, FRESH]);
    const again = [FRESH, 0.25, undefined, 'a'] as const;
    const known = [...stuck, ...tree(again, again, again, again, again, again)];
    expect(levels.next(known, 0.9)).toEqual([0, 0, 0]);
    // The search continues from a new program of the restart.
    const fresh = [...stuck, ...tree(again, [FRESH, 0.5, undefined, 'd'], again, again, again, again)];
    expect(levels.next(fresh, 0.9)).toEqual([8, 8, 8]);
  });

  test('DoT ends when all visible tests pass, and answers with the program of most visible tests', () => {
    expect(grow(levels, [0.25, 0.5, 1, 0, 0])).toEqual([FRESH, 0, 0, 0]);
    expect(levels.answer(tree([FRESH, 0.25], [0, 0.75], [0, 0.75]))).toBe(1);
  });
});

/** Creates attempted programs from parent, share of visible tests, program and reflection. */
const attemptsOf = (...rows: readonly (readonly [number, number, string, string?])[]): readonly AttemptedProgram[] =>
  rows.map(([parent, visible, program, reflection]) => ({
    ...{ parent, visible, program },
    ...(reflection === undefined ? {} : { reflection }),
  }));

describe('DoT with reflections', () => {
  const levels = dotReflections(2);

  test('a repeated reflection on the same program does not count, regardless of the next program', () => {
    const first = attemptsOf([FRESH, 0.25, 'a'], [0, 0.5, 'b', 'x'], [0, 0.25, 'c', 'x']);
    expect(levels.next(first, 0)).toEqual([0]);
    // A different reflection counts, also if its program was already attempted.
    const second = [...first, ...attemptsOf([0, 0.5, 'b', 'y'])];
    expect([0.4, 0.6].map((draw) => levels.next(second, draw))).toEqual([
      [1, 1],
      [3, 3],
    ]);
    // b is in the tree twice. The reflection x on b is new; the reflection y on b is written twice.
    const third = [...second, ...attemptsOf([3, 0.25, 'd', 'x'], [3, 0.25, 'e', 'y'])];
    expect(levels.next(third, 0)).toEqual([4, 4]);
    const again = [...third, ...attemptsOf([1, 0.25, 'f', 'y'], [1, 0.5, 'g', 'z'])];
    expect(levels.next(again, 0)).toEqual([1]);
  });

  test('an empty reflection does not count, and a level without reflections is followed by new programs', () => {
    const nothing = [0, 0.5, 'b', ''] as const;
    expect(levels.next(attemptsOf([FRESH, 0.25, 'a'], nothing), 0)).toEqual([0, 0]);
    const stuck = attemptsOf([FRESH, 0.25, 'a'], nothing, nothing, nothing, nothing);
    expect(levels.next(stuck, 0)).toEqual([FRESH, FRESH]);
    expect(levels.next([...stuck, ...attemptsOf([FRESH, 0.5, 'h'], [FRESH, 0.5, 'a'])], 0)).toEqual([FRESH]);
    expect(levels.next([...stuck, ...attemptsOf([0, 1, 'r', 'x'])], 0)).toEqual([]);
  });
});

test('Reflexion continues and answers with the last program, until it passes the visible tests', () => {
  const createAttempt = (visible: number) => ({ parent: -1, visible, program: '' });
  expect(REFLEXION.next([], 0)).toEqual([-1]);
  expect(REFLEXION.next([createAttempt(0.5), createAttempt(0.25)], 0)).toEqual([1]);
  expect(REFLEXION.next([createAttempt(0.5), createAttempt(1)], 0)).toEqual([]);
  expect(REFLEXION.answer([createAttempt(1), createAttempt(0.5)])).toBe(1);
});
