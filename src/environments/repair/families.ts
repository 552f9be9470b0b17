import { CounterRandom } from '../../random/counter.ts';
import type { AddDraft, Draft } from './draft.ts';
import { listFamilies } from './listFamilies.ts';
import { loopFamilies } from './loopFamilies.ts';
import { numberFamilies } from './numberFamilies.ts';
import { predicateFamilies } from './predicateFamilies.ts';
import { stringFamilies } from './stringFamilies.ts';

/** Key of the draws that select the predicates of a family. */
const FAMILY_SEED = 7;

/** Returns all problems of all families in a fixed order. Each pair of prompt and template occurs once. */
export function allDrafts(): readonly Draft[] {
  const drafts: Draft[] = [];
  const visited = new Set<string>();
  const add: AddDraft = (family, phrase, signature, template) => {
    const key = `${phrase} ${signature} ${template}`;
    if (visited.has(key)) return;
    visited.add(key);
    drafts.push({ family, promptTerms: phrase.split(' '), signature, template });
  };
  predicateFamilies(add, new CounterRandom(FAMILY_SEED, 0));
  listFamilies(add);
  loopFamilies(add);
  numberFamilies(add);
  stringFamilies(add);
  return drafts;
}
