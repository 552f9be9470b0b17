import { PAPERS, type Paper } from '../../environments/claim.ts';
import { STATUSES, type Status } from '../../experiments/claims/judge.ts';
import { writePlace } from '../address/place.ts';

/** What is said of a claim, or of one of its tests: a verdict, or that nothing was run. */
export type Verdict = Status | 'not run';
export const VERDICTS: readonly Verdict[] = [...STATUSES, 'not run'];

/** Whose claims are listed. */
export type Author = Paper | 'own';
export const AUTHORS: readonly Author[] = [...(Object.keys(PAPERS) as Paper[]), 'own'];

/** Which claims are listed; all where nothing is said. */
export interface LabFilter {
  readonly author?: Author | undefined;
  readonly verdict?: Verdict | undefined;
}

/** What the Lab shows. */
export type LabAddress =
  | { readonly shows: 'list'; readonly filter: LabFilter }
  | { readonly shows: 'summary' }
  | { readonly shows: 'claim'; readonly id: string };

/** Verdicts have spaces, which addresses write otherwise. */
const slug = (verdict: Verdict) => verdict.replaceAll(' ', '-');

/** What stands behind `#lab/`: a claim, `summary`, or a filter such as `paper=t` and `verdict=holds`. Never throws. */
export function readLab(path: readonly string[]): LabAddress {
  const [first] = path;
  if (first === 'summary') return { shows: 'summary' };
  if (first !== undefined && !first.includes('=')) return { shows: 'claim', id: first.toLowerCase() };
  const values = new Map(path.map((part) => part.split('=', 2) as [string, string | undefined]));
  const [paper, verdict] = [values.get('paper'), values.get('verdict')];
  return {
    shows: 'list',
    filter: {
      author: AUTHORS.find((one) => one.toLowerCase() === paper?.toLowerCase()),
      verdict: VERDICTS.find((one) => slug(one) === verdict),
    },
  };
}

/** The address of what the Lab shows. */
export function writeLab(address: LabAddress): string {
  if (address.shows === 'claim') return writePlace('lab', address.id);
  if (address.shows === 'summary') return writePlace('lab', 'summary');
  const { author, verdict } = address.filter;
  const parts = [author && `paper=${author.toLowerCase()}`, verdict && `verdict=${slug(verdict)}`];
  return writePlace('lab', ...parts.flatMap((part) => part ?? []));
}
