import { describe, expect, it } from 'vitest';
import { createRetriever } from '../../../../src/environments/search/world.ts';

// Three documents of 3, 2 and 1 tokens: mean length 2.
const documents = [[1, 2, 2], [1, 3], [3]];

describe('BM25 by hand', () => {
  const retriever = createRetriever(documents, 6);

  it('BM25 counts a rare token twice if it occurs twice', () => {
    // df 1: idf = ln(1 + 2.5 / 1.5) = ln(8/3) = 0.980829; |d| = 3: 1.2 (0.25 + 0.75 * 1.5) = 1.65
    // 0.980829 * 2 * 2.2 / (2 + 1.65) = 1.182370
    expect(retriever.score(2, 0)).toBeCloseTo(1.18237, 6);
    expect(retriever.score(2, 1)).toBe(0);
  });

  it('BM25 gives a token a higher score in a shorter document', () => {
    // df 2: idf = ln(1 + 1.5 / 2.5) = ln 1.6 = 0.470004
    expect(retriever.score(1, 0)).toBeCloseTo((0.470004 * 2.2) / 2.65, 5); // |d| = 3
    expect(retriever.score(1, 1)).toBeCloseTo(0.470004, 6); // |d| = 2 = mean: the fraction is 2.2 / 2.2
    expect(retriever.score(3, 2)).toBeCloseTo((0.470004 * 2.2) / 1.75, 5); // |d| = 1: 1.2 * 0.625 = 0.75
  });

  it('BM25 sums over the query and returns the best document', () => {
    // 0.390 in document 0, 0.940 in document 1, 0.591 in document 2
    expect(retriever.search([1, 3])).toBe(1);
    expect(retriever.search([3])).toBe(2);
    // Once, token 1 favours document 1; token 2 twice outweighs it.
    expect(retriever.search([1])).toBe(1);
    expect(retriever.search([1, 2])).toBe(0);
    // 0.590862 for document 2 against 0.470004 twice or more for a token that counts twice
    expect(retriever.search([1, 1, 3])).toBe(1);
  });

  it('BM25 returns no document without a shared token', () => {
    expect(retriever.search([4, 5])).toBeUndefined();
    expect(retriever.search([])).toBeUndefined();
  });
});

it('BM25 returns the document with the lower index in ties', () => {
  expect(createRetriever([[1], [2], [2]], 3).search([2])).toBe(1);
});

it('BM25 ignores stop words, but counts them in the lengths', () => {
  const plain = createRetriever(documents, 6);
  const stopped = createRetriever(documents, 6, (token) => token === 1);
  expect(stopped.search([1])).toBeUndefined();
  expect(stopped.score(2, 0)).toBe(plain.score(2, 0));
});
