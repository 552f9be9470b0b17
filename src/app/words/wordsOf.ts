import { RULES } from '../../credit/rules.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Word } from '../strings/glossaryStrings.ts';
import { strings } from '../strings/strings.ts';

/** Panels that explain their own words where they stand. */
export type WordsPlace = 'curves' | 'controls' | 'group' | 'inspector' | 'truth';

const COMMON: Readonly<Record<WordsPlace, readonly Word[]>> = {
  curves: ['rollout', 'reward', 'tied', 'advantage', 'warmStart', 'entropy', 'nat', 'kl', 'clip'],
  controls: ['creditRule', 'reward', 'advantage', 'normalisation', 'policy', 'warmStart', 'entropy', 'kl', 'critic'],
  group: ['rollout', 'turn', 'group', 'advantage', 'reward', 'creditRule', 'tied'],
  inspector: [
    'creditRule',
    'advantage',
    'turn',
    'group',
    'pruned',
    'murphyPruning',
    'normalisation',
    'state',
    'codeTokens',
  ],
  truth: ['continuation', 'advantage', 'clearTurn', 'reliability', 'rollout', 'group', 'tied'],
};

/** What a panel speaks of in one environment only. */
const OWN: Readonly<Record<EnvironmentName, Partial<Record<WordsPlace, readonly Word[]>>>> = {
  search: { curves: ['decision', 'critic'], group: ['masked', 'searchTokens'] },
  repair: { curves: ['heldOut', 'iterations', 'pruned'], group: ['pruned', 'murphyPruning', 'codeTokens'] },
  repo: { curves: ['heldOut', 'state'], group: ['state', 'pruned'] },
};

/** The words that a panel uses, in the order in which they are told. */
export function wordsOf(place: WordsPlace, environment?: EnvironmentName): readonly Word[] {
  const own = environment ? (OWN[environment][place] ?? []) : [];
  return [...COMMON[place], ...own];
}

/** One line that says how a question is to be read; undefined where nothing has to be said. */
export function questionLegend(environment: EnvironmentName, question: string): string | undefined {
  const { legend } = strings.glossary;
  if (environment !== 'search') return legend[environment];
  const [, relation, entity] = /^r(\d+) of e(\d+)$/.exec(question) ?? [];
  return relation !== undefined && entity !== undefined ? legend.search(relation, entity) : undefined;
}

/** Where a paper can be read, by what a rule's file says of it. */
export function arxivOf(reference: string): string | undefined {
  return /arXiv (\d{4}\.\d{4,5})/.exec(reference)?.[1];
}

export function arxivAddress(number: string): string {
  return `https://arxiv.org/abs/${number}`;
}

/** The rules of the page in their order, each with its name spelt out. */
export function namedRules() {
  return RULES.map((rule) => ({ rule, name: strings.glossary.names[rule.name] ?? '' }));
}
