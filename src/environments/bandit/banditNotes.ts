import type { EnvironmentNotes, RewardNote } from '../environmentNotes.ts';
import { BANDIT_CONTROLS } from './banditSettings.ts';

const FIXED: RewardNote = { text: 'No effect: the rewards of this decision process are fixed.', isInactive: true };

/** Notes of the bandit. */
export const BANDIT_NOTES: EnvironmentNotes = {
  rewards: (_, { process }) =>
    process === 'two-turns' ? {} : Object.fromEntries(BANDIT_CONTROLS.map(({ name }) => [name, FIXED])),
};
