import { type Claim, PAPERS, type Paper } from '../../environments/claim.ts';
import m from './data/m.json' with { type: 'json' };
import measures from './data/measures.json' with { type: 'json' };
import questions from './data/own.json' with { type: 'json' };
import r from './data/r.json' with { type: 'json' };
import t from './data/t.json' with { type: 'json' };
import v from './data/v.json' with { type: 'json' };
import { readClaims, readMeasures } from './readClaims.ts';

const FILES: Readonly<Record<Paper, unknown>> = { T: t, M: m, V: v, R: r };
const LETTERS = Object.keys(PAPERS) as Paper[];
const MEASURES = readMeasures(measures, 'measures.json');

/** Claims of the papers, ordered by paper. */
export const PAPER_CLAIMS: readonly Claim[] = LETTERS.flatMap((letter) =>
  readClaims(FILES[letter], `${letter.toLowerCase()}.json`, letter, MEASURES),
);

/** Questions of the project, which no paper answers. */
export const PROJECT_CLAIMS: readonly Claim[] = readClaims(questions, 'own.json', undefined, MEASURES);

/** All claims, in the order in which they are listed. */
export const ALL_CLAIMS: readonly Claim[] = [...PAPER_CLAIMS, ...PROJECT_CLAIMS];

/** Names that select claims: the ID of a claim, the letter of a paper, `own` or `all`. */
export const CLAIM_SELECTORS: readonly string[] = [
  ...['all', 'own'],
  ...LETTERS.map((letter) => letter.toLowerCase()),
  ...ALL_CLAIMS.map(({ id }) => id),
];

/** Returns the claims that a selector names; empty for an unknown selector. */
export function findClaims(text: string): readonly Claim[] {
  const query = text.toLowerCase();
  if (query === 'all') return ALL_CLAIMS;
  if (query === 'own') return PROJECT_CLAIMS;
  return ALL_CLAIMS.filter(({ id, paper }) => id === query || paper?.toLowerCase() === query);
}
