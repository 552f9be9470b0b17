import type { Attempt, FirstTurnKinds } from '../attempt.ts';
import type { Effect } from './vocabulary.ts';

/** Returns true if the first turn had this effect. The state of the second turn contains the effect. */
const had = ({ following }: Attempt, effect: Effect) => following[0]?.state?.endsWith(`| ${effect}`) === true;

/** Kinds of first turns by their effect on the prize. */
export const BANDIT_FIRST_TURNS: FirstTurnKinds = {
  key: (attempt) => had(attempt, 'enabled'),
  bait: (attempt) => had(attempt, 'spoiled'),
  nothing: (attempt) => had(attempt, 'nothing'),
};
