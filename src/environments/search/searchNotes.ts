import type { EnvironmentNotes, RewardNote } from '../descriptor.ts';
import { TURN_REWARD, UNRELIABILITY } from './searchSettings.ts';

/** Names of the controls for the rewards of turns before the last one. */
const TURN_REWARDS = [
  'rewardExecuted',
  'rewardRetrieved',
  'rewardFormat',
  'rewardSkip',
  'searchCost',
  TURN_REWARD.name,
];

const IGNORED: RewardNote = { text: 'No effect now: the active rule ignores turn rewards.', isInactive: true };
const RELIABLE: RewardNote = { text: 'No effect now: the turn reward source is not “biased judge”.', isInactive: true };
const SINGLE: RewardNote = {
  text: 'Two turns have room for one search. This preset has four:',
  preset: 'over-searching',
};

const UNRELIABLE = UNRELIABILITY.map(({ name }) => name);

const notes = (names: readonly string[], note: RewardNote) => Object.fromEntries(names.map((name) => [name, note]));

/** Notes of the search environment. */
export const SEARCH_NOTES: EnvironmentNotes = {
  truth: ({ knownShare }) =>
    Number(knownShare) > 0
      ? 'The measured value is the training reward. It favours memory: held-out questions are not part of it.'
      : 'The measured value is the training reward. Held-out questions are not part of it.',
  rewards: ({ turnReward }, { maxTurns }, usesTurnRewards) => ({
    ...(Number(maxTurns) > 2 ? {} : { searchCost: SINGLE }),
    ...(turnReward === 'unreliable' ? {} : notes(UNRELIABLE, RELIABLE)),
    ...(usesTurnRewards ? {} : notes([...TURN_REWARDS, ...UNRELIABLE], IGNORED)),
  }),
};
