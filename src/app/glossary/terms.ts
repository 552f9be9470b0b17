import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { DetectorName } from '../../experiments/detectors.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { GlossaryTerm } from '../strings/glossaryStrings.ts';

/** Panels that explain their words next to the content. */
export type ExplainedPanel = 'curves' | 'controls' | 'group' | 'inspector' | 'truth';

const COMMON: Readonly<Record<ExplainedPanel, readonly GlossaryTerm[]>> = {
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

/** The words that a panel uses, in display order. */
export function listTerms(panel: ExplainedPanel, environment?: EnvironmentName): readonly GlossaryTerm[] {
  const specific = environment ? (ENVIRONMENTS[environment].terms[panel] ?? []) : [];
  return [...COMMON[panel], ...(specific as readonly GlossaryTerm[])];
}

/** The word that explains what happened to a run. */
export const DETECTOR_TERMS: Readonly<Record<DetectorName, GlossaryTerm>> = {
  collapse: 'collapse',
  recovery: 'collapse',
  shortcut: 'shortcut',
  'over-use': 'overUse',
  ties: 'tied',
  'entropy collapse': 'entropyCollapse',
  diverging: 'diverging',
};

/** One line that explains how to read a question; undefined if no explanation is needed. */
export function questionLegend(environment: EnvironmentName, question: string): string | undefined {
  return ENVIRONMENTS[environment].legend(question);
}

/** Returns the arXiv number of a paper, read from the reference in a rule's file. */
export function arxivOf(reference: string): string | undefined {
  return /arXiv (\d{4}\.\d{4,5})/.exec(reference)?.[1];
}

/** Returns the web address of a source that is not a paper, without its https://. */
export function webAddressOf(reference: string): string | undefined {
  return /\bgithub\.com\/\S+/.exec(reference)?.[0];
}

export function arxivAddress(number: string): string {
  return `https://arxiv.org/abs/${number}`;
}
