import type { ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName, RunConfiguration, ScheduledChange } from './configuration.ts';

/** A named run: what differs from the defaults, and what it shows. The page and the terminal offer the same list. */
export interface Preset {
  readonly name: string;
  readonly environment: EnvironmentName;
  readonly title: string;
  /** One sentence: what there is to see. Numbers are means measured over several seeds unless it says otherwise. */
  readonly shows: string;
  /** What differs from the default settings of the world. */
  readonly settings: ParameterValues;
  /** What differs from the default controls at step 0. */
  readonly controls: ParameterValues;
  readonly schedule: readonly ScheduledChange[];
}

export const PRESETS: readonly Preset[] = [
  {
    name: 'mt-grpo',
    environment: 'search',
    title: 'MT-GRPO: stable',
    shows: 'Turn-level credit: tool use climbs and holds, and answers follow once reading is learned.',
    settings: {},
    controls: { rule: 'mt-grpo' },
    schedule: [],
  },
  {
    name: 'grpo-or',
    environment: 'search',
    title: 'GRPO-OR: collapse',
    shows: 'Outcome-only credit: the tool dies out, and answers stall at what memory alone can give.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'grpo-mr',
    environment: 'search',
    title: 'Merged rewards',
    shows: 'Turn rewards summed into the outcome: no collapse. What the reward says matters more than where it is put.',
    settings: {},
    controls: { rule: 'grpo-mr' },
    schedule: [],
  },
  {
    name: 'switch-early',
    environment: 'search',
    title: 'Switch early',
    shows:
      'MT-GRPO builds the habit, GRPO-OR takes over at step 20, before reading is learned: tool use falls to nothing.',
    settings: { knownShare: 0.75, hallucinate: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 20, changes: { rule: 'grpo-or' } }],
  },
  {
    name: 'recovery',
    environment: 'search',
    title: 'Recovery',
    shows: 'GRPO-OR lets the tool die; MT-GRPO takes over at step 80 and brings it back.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [{ step: 80, changes: { rule: 'mt-grpo' } }],
  },
  {
    name: 'forgetting-kl',
    environment: 'search',
    title: 'Forgetting under KL',
    shows: 'Every fact is known, so the outcome has no say after step 60; the KL term slowly pulls tool use back.',
    settings: { knownShare: 1 },
    controls: { rule: 'mt-grpo' },
    schedule: [{ step: 60, changes: { rule: 'grpo-or', klCoef: 0.05 } }],
  },
  {
    name: 'over-searching',
    environment: 'search',
    title: 'Over-searching',
    shows:
      'Up to four turns, and a search costs nothing: the agent searches again and again. Raise the search cost and it stops.',
    settings: { maxTurns: 4 },
    controls: { rule: 'mt-ppo', searchCost: 0 },
    schedule: [],
  },
  {
    name: 'verpo',
    environment: 'repair',
    title: 'VeRPO: every test counts',
    shows: 'A failed program is still paid for the tests that it passes, hard and rare ones most: few groups tie.',
    settings: {},
    controls: { rule: 'verpo' },
    schedule: [],
  },
  {
    name: 'murphy',
    environment: 'repair',
    title: 'Murphy: feedback trees',
    shows:
      'Failed programs are shown a failing test and tried again, in a tree. MaRS gives an attempt the best of what it led to.',
    settings: {},
    controls: { rule: 'murphy-mars' },
    schedule: [],
  },
  {
    name: 'murphy-pruned',
    environment: 'repair',
    title: 'Murphy, InterP',
    shows: 'MaRS, but of the refinements of a problem only the two groups that vary most are trained on.',
    settings: {},
    controls: { rule: 'murphy-mars', inter: '2' },
    schedule: [],
  },
  {
    name: 'grpo-mt',
    environment: 'repair',
    title: 'GRPO-MT: the baseline',
    shows: 'Two attempts, one reward: both turns get the credit of how it ended.',
    settings: {},
    controls: { rule: 'grpo-mt' },
    schedule: [],
  },
  {
    name: 'single-turn',
    environment: 'repair',
    title: 'One turn only',
    shows: 'Trained without second attempts: first programs get better, the skill of mending is not kept up.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'rtmc',
    environment: 'repo',
    title: 'RTMC: where states meet',
    shows:
      'Rollouts of one problem pass through the same states: what others did from there is the baseline, no critic.',
    settings: {},
    controls: { rule: 'rtmc' },
    schedule: [],
  },
  {
    name: 'rtmc-unsmoothed',
    environment: 'repo',
    title: 'RTMC without smoothing',
    shows: 'At κ = 0 a state that was visited once says nothing: many steps get no credit at all.',
    settings: {},
    controls: { rule: 'rtmc', kappa: 0 },
    schedule: [],
  },
  {
    name: 'repo-grpo',
    environment: 'repo',
    title: 'GRPO: one credit a rollout',
    shows: 'Every step of an episode gets the same credit, however it came to be solved.',
    settings: {},
    controls: { rule: 'grpo-or' },
    schedule: [],
  },
  {
    name: 'repo-step',
    environment: 'repo',
    title: 'GRPO + step rewards',
    shows: 'Valid steps and checks are paid as well; a step is compared with all steps of its group.',
    settings: {},
    controls: { rule: 'grpo-step' },
    schedule: [],
  },
];

/** The presets of an environment, in the order in which people are offered them. */
export function presetsOf(environment: EnvironmentName): readonly Preset[] {
  return PRESETS.filter((preset) => preset.environment === environment);
}

/** A preset laid over a configuration of the defaults of its environment. */
export function applyPreset(preset: Preset, base: RunConfiguration): RunConfiguration {
  return {
    ...base,
    settings: { ...base.settings, ...preset.settings },
    controls: { ...base.controls, ...preset.controls },
    schedule: preset.schedule,
  };
}
