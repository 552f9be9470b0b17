import type { ParameterValues } from '../parameters/parameters.ts';
import { BANDIT_CONTROLS } from './bandit/banditSettings.ts';
import type { EnvironmentNotes, RewardNote } from './descriptor.ts';
import type { EnvironmentName } from './registry.ts';
import type { RepoControls } from './repo/repoSettings.ts';
import { TURN_REWARD, UNRELIABILITY } from './search/searchSettings.ts';

/** Names of the controls for the rewards of turns before the last one. */
const TURN_REWARDS = [
  'rewardExecuted',
  'rewardRetrieved',
  'rewardFormat',
  'rewardSkip',
  'searchCost',
  TURN_REWARD.name,
];
const BANDIT_NAMES = BANDIT_CONTROLS.map(({ name }) => name);
const BANDIT_TURN_REWARDS = BANDIT_NAMES.filter((name) => name.startsWith('reward'));
const REPO_TURN_REWARDS = ['rewardValid', 'rewardInvalid', 'potential'] satisfies (keyof RepoControls)[];

const IGNORED: RewardNote = { text: 'No effect now: the active rule ignores turn rewards.', isInactive: true };
const NO_OUTCOME: RewardNote = { text: 'No effect now: the active rule ignores outcomes.', isInactive: true };
const RELIABLE: RewardNote = { text: 'No effect now: the turn reward source is not “biased judge”.', isInactive: true };
const SINGLE: RewardNote = {
  text: 'Two turns have room for one search. This preset has four:',
  preset: 'over-searching',
};

const UNRELIABLE = UNRELIABILITY.map(({ name }) => name);

const notes = (names: readonly string[], note: RewardNote) => Object.fromEntries(names.map((name) => [name, note]));

/** Notes of the search environment. */
const SEARCH_NOTES: EnvironmentNotes = {
  truth: ({ knownShare }) =>
    Number(knownShare) > 0
      ? 'The measured value is the training reward. It favours memory: held-out questions are not part of it.'
      : 'The measured value is the training reward. Held-out questions are not part of it.',
  rewards: ({ turnReward }, { maxTurns }, used) => ({
    ...(Number(maxTurns) > 2 ? {} : { searchCost: SINGLE }),
    ...(turnReward === 'unreliable' ? {} : notes(UNRELIABLE, RELIABLE)),
    ...(used.turns ? {} : notes([...TURN_REWARDS, ...UNRELIABLE], IGNORED)),
  }),
};

const FIXED: RewardNote = { text: 'No effect: the rewards of this decision process are fixed.', isInactive: true };

/** Notes of the bandit. */
const BANDIT_NOTES: EnvironmentNotes = {
  rewards: (_, { process }, used) => {
    if (process !== 'two-turns') return notes(BANDIT_NAMES, FIXED);
    return used.turns ? {} : notes(BANDIT_TURN_REWARDS, IGNORED);
  },
};

/** Notes of the repair environment. */
const REPAIR_NOTES: EnvironmentNotes = {
  rewards: (_, __, used) => ({
    ...(used.turns ? {} : { turnReward: IGNORED }),
    ...(used.outcome ? {} : { outcomeReward: NO_OUTCOME }),
  }),
};

/** Notes of the repository environment. */
const REPO_NOTES: EnvironmentNotes = {
  rewards: (_, __, used) => (used.turns ? {} : notes(REPO_TURN_REWARDS, IGNORED)),
};

/** Notes of the environments that have notes. They load with the panels that show them. */
const NOTES: Readonly<Partial<Record<EnvironmentName, EnvironmentNotes>>> = {
  search: SEARCH_NOTES,
  repair: REPAIR_NOTES,
  repo: REPO_NOTES,
  bandit: BANDIT_NOTES,
};

/** Returns a sentence about the reward in measured turn values; undefined if the environment has no such sentence. */
export function truthNote(environment: EnvironmentName, settings: ParameterValues): string | undefined {
  return NOTES[environment]?.truth?.(settings);
}

/** Returns the notes about the rewards of an environment by name (EnvironmentNotes.rewards). */
export function rewardNotes(
  environment: EnvironmentName,
  ...state: Parameters<EnvironmentNotes['rewards']>
): ReturnType<EnvironmentNotes['rewards']> {
  return NOTES[environment]?.rewards(...state) ?? {};
}
