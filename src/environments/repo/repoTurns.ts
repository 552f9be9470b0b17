import { hasFact } from '../../rollouts/rolloutBatch.ts';
import type { ReportedTurn, WatchedTurns } from '../watchedTurns.ts';

/**
 * Steps by their effect on the repair. The distance to the repair is the number of tokens that differ from the right
 * files.
 */
export const REPO_TURNS: WatchedTurns = {
  of: 'all turns',
  counted: 'steps',
  mark: {
    name: 'met',
    label: 'another rollout of the group visited the same state',
    holds: (context) => isMet(context),
  },
  kinds: [
    {
      title: 'Helpful steps',
      cases: [
        { name: 'fixed', label: 'an edit fixed a bug', holds: ({ turn }) => hasFact(turn, 'fixed') },
        { name: 'ended', label: 'it finished with all tests passing', holds: ({ turn }) => turn.solved === true },
        { name: 'checked', label: 'an edit was checked', holds: ({ turn }) => turn.validates === true },
        {
          name: 'shown',
          label: 'it viewed code with a bug',
          holds: (context) => hasFact(context.turn, 'shown') && !repeats(context),
        },
      ],
    },
    {
      title: 'Harmful steps',
      cases: [
        { name: 'spoiled', label: 'an edit broke what was right', holds: ({ turn }) => hasFact(turn, 'spoiled') },
        { name: 'gaveUp', label: 'it finished with a test failing', holds: ({ turn }) => hasFact(turn, 'finished') },
        { name: 'invalid', label: 'the action was invalid', holds: ({ turn }) => hasFact(turn, 'invalid') },
      ],
    },
    {
      title: 'Neutral steps',
      cases: [
        { name: 'swapped', label: 'an edit fixed no bug', holds: ({ turn }) => hasFact(turn, 'changed') },
        {
          name: 'repeated',
          label: 'it repeated an action, and nothing had changed since',
          holds: (context) => repeats(context),
        },
        { name: 'remainingStep', label: 'it took another action', holds: () => true },
      ],
    },
  ],
};

/** Returns true if the rollout performed the same action before and has changed no file since that action. */
function repeats({ turn, before }: ReportedTurn): boolean {
  const since = before.slice(before.findLastIndex((earlier) => hasFact(earlier, 'changed')) + 1);
  return since.some(({ action }) => action === turn.action);
}

/** Returns true if a turn of another rollout was in the same state. The control *States* defines equal states. */
function isMet({ turn, before, after, group }: ReportedTurn): boolean {
  return group.some(
    (candidate) =>
      candidate.state === turn.state && candidate !== turn && !before.includes(candidate) && !after.includes(candidate),
  );
}
