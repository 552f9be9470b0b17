import type { EnvironmentPreset } from '../descriptor.ts';

/** Runs of the repository environment that the page and the terminal offer by name. */
export const REPO_PRESETS: readonly EnvironmentPreset[] = [
  {
    name: 'rtmc',
    title: 'RTMC: where states meet',
    shows:
      'Rollouts of one problem pass through the same states: what others did from there is the baseline, no critic.',
    settings: {},
    controls: { rule: 'rtmc' },
    schedule: [],
  },
  {
    name: 'rtmc-unsmoothed',
    title: 'RTMC without smoothing',
    shows: 'At κ = 0 a state that was visited once says nothing: many steps get no credit at all.',
    settings: {},
    controls: { rule: 'rtmc', kappa: 0 },
    schedule: [],
  },
  {
    name: 'repo-grpo',
    title: 'GRPO: one credit a rollout',
    shows: 'Every step of an episode gets the same credit, however it came to be solved.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'repo-step',
    title: 'GRPO + step rewards',
    shows: 'Valid steps and checks are paid as well; a step is compared with all steps of its group.',
    settings: {},
    controls: { rule: 'grpo-step' },
    schedule: [],
  },
  {
    name: 'gigpo',
    title: 'GiGPO: anchor states',
    shows:
      'Steps that different rollouts took from the same state are compared with each other, besides the rollouts as a whole.',
    settings: {},
    controls: { rule: 'gigpo' },
    schedule: [],
  },
  {
    name: 'tempo',
    title: 'TEMPO: shared beginnings',
    shows:
      'Rollouts that begin alike form a tree. A step is credited with what it changed of their mean outcome; few begin ' +
      'alike for long.',
    settings: {},
    controls: { rule: 'tempo' },
    schedule: [],
  },
];
