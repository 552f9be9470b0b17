import type { EnvironmentPreset } from '../descriptor.ts';

/** Presets of the repository environment for the page and the terminal. */
export const REPO_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'rtmc',
    title: 'RTMC: shared states',
    shows:
      'Rollouts of one problem share states. The baseline of a step is the mean return of all visits of its state, without a critic.',
    settings: {},
    controls: { rule: 'rtmc' },
    schedule: [],
  },
  {
    name: 'rtmc-unsmoothed',
    title: 'RTMC without smoothing',
    shows: 'At κ = 0 a step in a state with one visit gets no credit. There are many such steps.',
    settings: {},
    controls: { rule: 'rtmc', kappa: 0 },
    schedule: [],
  },
  {
    name: 'repo-grpo',
    title: 'GRPO: credit per rollout',
    shows: 'All steps of an episode get the same credit, helpful or not.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'repo-step',
    title: 'GRPO + step rewards',
    shows: 'Valid steps and checks have rewards, too. A step is compared with all steps of its group.',
    settings: {},
    controls: { rule: 'grpo-step' },
    schedule: [],
  },
  {
    name: 'gigpo',
    title: 'GiGPO: anchor states',
    shows: 'Steps of different rollouts from the same state are compared, in addition to whole rollouts.',
    settings: {},
    controls: { rule: 'gigpo' },
    schedule: [],
  },
  {
    name: 'tempo',
    title: 'TEMPO: shared prefixes',
    shows:
      'Rollouts with the same first steps form a tree. The credit of a step is the change of the mean outcome in the tree. Few ' +
      'rollouts share more than some steps.',
    settings: {},
    controls: { rule: 'tempo' },
    schedule: [],
  },
];
