import { type Claim, PAPERS, type Paper } from '../../environments/claim.ts';
import { ENVIRONMENT_LIST } from '../../environments/registry.ts';
import { CROSS_CLAIMS } from './crossClaims.ts';

const declared = (
  await Promise.all(ENVIRONMENT_LIST.map(async ({ comparison }) => (await comparison?.())?.comparison ?? undefined))
).flatMap((one) => one ?? []);

/** `t10` after `t9`. */
const inOrder = (a: Claim, b: Claim) => a.id.localeCompare(b.id, 'en', { numeric: true });
const LETTERS = Object.keys(PAPERS) as Paper[];

/** The claims of papers, paper by paper. */
export const PAPER_CLAIMS: readonly Claim[] = LETTERS.flatMap((letter) =>
  [...CROSS_CLAIMS, ...declared.flatMap(({ claims }) => claims)].filter(({ paper }) => paper === letter).sort(inOrder),
);

/** Findings of our own, which no paper makes. */
export const OWN_FINDINGS: readonly Claim[] = declared.flatMap(({ findings }) => findings).sort(inOrder);

/** Everything that is put to the test, in the order in which it is told. */
export const ALL_CLAIMS: readonly Claim[] = [...PAPER_CLAIMS, ...OWN_FINDINGS];

/** What may be asked for: a claim, a paper's letter, `own`, `all`. */
export const CLAIM_WORDS: readonly string[] = [
  ...['all', 'own'],
  ...LETTERS.map((letter) => letter.toLowerCase()),
  ...ALL_CLAIMS.map(({ id }) => id),
];

/** The claims that a word means; none where it means nothing. */
export function claimsOfWord(word: string): readonly Claim[] {
  const asked = word.toLowerCase();
  if (asked === 'all') return ALL_CLAIMS;
  if (asked === 'own') return OWN_FINDINGS;
  return ALL_CLAIMS.filter(({ id, paper }) => id === asked || paper?.toLowerCase() === asked);
}
