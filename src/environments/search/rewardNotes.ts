import type { EnvironmentDescriptor } from '../descriptor.ts';
import type { RewardNote } from '../rewardNote.ts';
import { TURN_REWARD, UNRELIABILITY } from './rewards.ts';

/** Controls of the rewards of turns before the last. */
const TURN_REWARDS = [
  'rewardExecuted',
  'rewardRetrieved',
  'rewardFormat',
  'rewardSkip',
  'searchCost',
  TURN_REWARD.name,
];

const IGNORED: RewardNote = { text: 'No effect now: the active rule ignores turn rewards.', isInactive: true };
const RELIABLE: RewardNote = { text: 'No effect now: the turn reward source is not “unreliable”.', isInactive: true };
const SINGLE: RewardNote = {
  text: 'Two turns have room for one search. This preset has four:',
  preset: 'over-searching',
};

const notes = (names: readonly string[], note: RewardNote) => Object.fromEntries(names.map((name) => [name, note]));

/** Notes about rewards of search that have no effect under the present controls. */
export const searchRewardNotes: NonNullable<EnvironmentDescriptor['rewardNotes']> = (
  { turnReward },
  { maxTurns },
  usesTurnRewards,
) => ({
  ...(Number(maxTurns) > 2 ? {} : { searchCost: SINGLE }),
  ...(turnReward === 'unreliable'
    ? {}
    : notes(
        UNRELIABILITY.map(({ name }) => name),
        RELIABLE,
      )),
  ...(usesTurnRewards ? {} : notes([...TURN_REWARDS, ...UNRELIABILITY.map(({ name }) => name)], IGNORED)),
});
