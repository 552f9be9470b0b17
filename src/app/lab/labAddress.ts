import { PAPERS, type Paper } from '../../environments/claim.ts';
import { READER_STATES, type ReaderState } from '../../experiments/claims/conclusionText.ts';
import { writeViewAddress } from '../address/viewAddress.ts';

/** Author of the listed claims. */
export type Author = Paper | 'own';
export const AUTHORS: readonly Author[] = [...(Object.keys(PAPERS) as Paper[]), 'own'];

/** Filter of the listed claims. A filter without fields lists all claims. */
export interface LabFilter {
  readonly author?: Author | undefined;
  readonly state?: ReaderState | undefined;
}

/** Page of the Lab: overview, list of claims, or one claim. */
export type LabAddress =
  | { readonly shows: 'overview' }
  | { readonly shows: 'list'; readonly filter: LabFilter }
  | { readonly shows: 'claim'; readonly id: string };

/** Returns a state for an address, in which hyphens replace spaces. */
const slug = (state: ReaderState) => state.replaceAll(' ', '-');

/**
 * Reads the part of the address after `#lab/`: a claim, `claims`, or a filter such as `paper=t` and
 * `conclusion=in-part`. Never throws.
 */
export function readLab(path: readonly string[]): LabAddress {
  const [first] = path;
  if (first === undefined) return { shows: 'overview' };
  if (first !== 'claims' && !first.includes('=')) return { shows: 'claim', id: first.toLowerCase() };
  const values = new Map(path.map((part) => part.split('=', 2) as [string, string | undefined]));
  const [paper, conclusion] = [values.get('paper'), values.get('conclusion')];
  return {
    shows: 'list',
    filter: {
      author: AUTHORS.find((author) => author.toLowerCase() === paper?.toLowerCase()),
      state: READER_STATES.find((state) => slug(state) === conclusion),
    },
  };
}

/** Returns the address of a page of the Lab. */
export function writeLab(address: LabAddress): string {
  if (address.shows === 'claim') return writeViewAddress('lab', address.id);
  if (address.shows === 'overview') return writeViewAddress('lab');
  const { author, state } = address.filter;
  const parts = [author && `paper=${author.toLowerCase()}`, state && `conclusion=${slug(state)}`].flatMap(
    (part) => part ?? [],
  );
  return writeViewAddress('lab', ...(parts.length > 0 ? parts : ['claims']));
}
