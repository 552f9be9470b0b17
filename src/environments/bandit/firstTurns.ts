import type { Attempt, FirstTurnKinds } from '../attempt.ts';
import type { Effect } from './vocabulary.ts';

/** The state of the second turn names the effect of the first one. */
const had = ({ following }: Attempt, effect: Effect) => following[0]?.state?.endsWith(`| ${effect}`) === true;

/** First turns by their effect on the prize. */
export const BANDIT_FIRST_TURNS: FirstTurnKinds = {
  key: (attempt) => had(attempt, 'enabled'),
  bait: (attempt) => had(attempt, 'spoiled'),
  nothing: (attempt) => had(attempt, 'nothing'),
};
