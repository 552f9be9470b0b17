import type { ParameterValues } from '../parameters/parameters.ts';
import { BANDIT_CONTROLS } from './bandit/banditSettings.ts';
import type { EnvironmentNotes, RewardNote } from './descriptor.ts';
import type { EnvironmentName } from './registry.ts';
import { SEARCH_NOTES } from './search/searchNotes.ts';

const FIXED: RewardNote = { text: 'No effect: the rewards of this decision process are fixed.', isInactive: true };

/** Notes of the bandit. */
const BANDIT_NOTES: EnvironmentNotes = {
  rewards: (_, { process }) =>
    process === 'two-turns' ? {} : Object.fromEntries(BANDIT_CONTROLS.map(({ name }) => [name, FIXED])),
};

/** Notes of the environments that have notes. They load with the panels that show them. */
const NOTES: Readonly<Partial<Record<EnvironmentName, EnvironmentNotes>>> = {
  search: SEARCH_NOTES,
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
