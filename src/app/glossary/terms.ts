import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { DetectorName } from '../../experiments/detectors.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { GlossaryTerm } from '../strings/glossaryStrings.ts';

/** Panel that has a list of its terms next to its content. */
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

/** Returns the terms that a panel uses, in display order. The terms of the environment follow the common terms. */
export function listTerms(panel: ExplainedPanel, environment?: EnvironmentName): readonly GlossaryTerm[] {
  const specific = environment ? (ENVIRONMENTS[environment].terms[panel] ?? []) : [];
  return [...COMMON[panel], ...(specific as readonly GlossaryTerm[])];
}

/** Glossary term for each event that the detectors report. */
export const DETECTOR_TERMS: Readonly<Record<DetectorName, GlossaryTerm>> = {
  collapse: 'collapse',
  recovery: 'collapse',
  shortcut: 'shortcut',
  'over-use': 'overUse',
  ties: 'tied',
  'entropy collapse': 'entropyCollapse',
  diverging: 'diverging',
};

/** Returns one line that explains how to read a question; undefined if no explanation is needed. */
export function questionLegend(environment: EnvironmentName, question: string): string | undefined {
  return ENVIRONMENTS[environment].legend(question);
}
