import { log } from '../../numbers/exponential.ts';

/** Search engine that returns the best document for a query. */
export interface Retriever {
  readonly documents: number;
  /**
   * Returns the BM25 score of one query token in one document; 0 for stop words and if the document lacks the token.
   */
  score(token: number, document: number): number;
  /**
   * Returns the index of the document with the largest summed score, or the lowest index in a tie. Returns undefined if
   * no query token occurs in any document. A token that occurs twice in the query counts twice.
   */
  search(query: readonly number[]): number | undefined;
}

/** K1 is the saturation of the term frequency. B is the influence of the document length. */
const K1 = 1.2;
const B = 0.75;

/**
 * Creates a BM25 retriever (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
 * The inverse document frequency is ln(1 + (D - df + 0.5) / (df + 0.5)), which is never negative:
 *
 *     score(t, d) = idf(t) tf (K1 + 1) / (tf + K1 (1 - B + B |d| / mean |d|))
 *
 * The documents never change, so every score is computed once, in a [vocabulary, documents] table.
 */
export function createRetriever(
  documents: readonly (readonly number[])[],
  vocabularySize: number,
  isStopTerm: (token: number) => boolean = () => false,
): Retriever {
  const count = documents.length;
  const frequency = new Uint32Array(vocabularySize * count);
  let total = 0;
  documents.forEach((document, index) => {
    total += document.length;
    for (const token of document) frequency[token * count + index]++;
  });
  const meanLength = total / count;

  const scores = new Float64Array(vocabularySize * count);
  for (let token = 0; token < vocabularySize; token++) {
    if (isStopTerm(token)) continue;
    const row = frequency.subarray(token * count, (token + 1) * count);
    const matches = row.reduce((sum, tf) => sum + (tf > 0 ? 1 : 0), 0);
    const idf = log(1 + (count - matches + 0.5) / (matches + 0.5));
    row.forEach((tf, index) => {
      const lengthNorm = 1 - B + (B * documents[index].length) / meanLength;
      if (tf > 0) scores[token * count + index] = (idf * tf * (K1 + 1)) / (tf + K1 * lengthNorm);
    });
  }

  return {
    documents: count,
    score: (token, document) => scores[token * count + document],
    search(query) {
      let best: number | undefined;
      let bestScore = 0;
      for (let document = 0; document < count; document++) {
        let sum = 0;
        for (const token of query) sum += scores[token * count + document];
        if (sum > bestScore) {
          best = document;
          bestScore = sum;
        }
      }
      return best;
    },
  };
}
