import type { Turn } from '../../rollouts/forest.ts';
import { hasFact, type RolloutTurn } from '../../rollouts/rolloutBatch.ts';
import type { FirstTurnKinds } from '../attempt.ts';
import type { ReportedTurn, WatchedTurns } from '../watchedTurns.ts';

/** First programs, repairs and, if tests are written, verifications, with their results. */
export const REPAIR_TURNS: WatchedTurns = {
  of: 'all turns',
  counted: 'programs',
  // Rules for chains cannot read Murphy's trees. On chains, Murphy has no other repair to compare a repair with.
  comparedWith: {
    'murphy-mars': 'murphy-mers',
    'murphy-mers': 'murphy-mars',
    'tree-grpo': 'murphy-mars',
    'grpo-mt': 'verpo',
  },
  kinds: [
    {
      title: 'First programs',
      cases: [
        {
          name: 'firstPassed',
          label: 'all tests passed',
          brief: 'Right at once',
          holds: ({ turn, before }) => before.length === 0 && passes(turn),
        },
        {
          name: 'firstRepaired',
          label: 'a test failed, and a later program passed all',
          brief: 'repaired later',
          holds: ({ before, after }) => before.length === 0 && after.some(passes),
        },
        {
          name: 'firstLost',
          label: 'a test failed, and no later program passed all',
          brief: 'never right',
          holds: ({ before, after }) => before.length === 0 && after.some((turn) => !verifies(turn)),
        },
        {
          name: 'firstOnly',
          label: 'a test failed, and no program followed',
          holds: ({ before }) => before.length === 0,
        },
      ],
    },
    {
      title: 'Written tests',
      sometimes: true,
      cases: [
        {
          name: 'testsCatch',
          label: 'a right test failed a wrong program',
          holds: ({ turn }) => hasFact(turn, 'caught'),
        },
        {
          name: 'testsRight',
          label: 'all were right, and caught no error',
          holds: ({ turn }) => turn.facts.testsAgree === 1,
        },
        { name: 'testsWrong', label: 'some were wrong, and none caught an error', holds: ({ turn }) => verifies(turn) },
      ],
    },
    {
      title: 'Repairs',
      cases: [
        { name: 'repairPassed', label: 'all tests passed', holds: ({ turn }) => passes(turn) },
        { name: 'repairBetter', label: 'fewer tests failed than before', holds: (context) => gain(context) > 0 },
        { name: 'repairSame', label: 'as many tests failed as before', holds: (context) => gain(context) === 0 },
        { name: 'repairWorse', label: 'more tests failed than before', holds: () => true },
      ],
    },
  ],
};

const verifies = ({ facts }: RolloutTurn) => facts.testsWritten !== undefined;
const passes = (turn: RolloutTurn) => hasFact(turn, 'solved');

/** Returns the change of the pass rate from the previous program to a repair. */
function gain({ turn, before }: ReportedTurn): number {
  const last = before.findLast((previous) => !verifies(previous));
  return (turn.facts.passRate ?? 0) - (last?.facts.passRate ?? 0);
}

const solves = ({ solved }: Turn) => solved === true;

/** Kinds of first programs by their tests and by later programs. */
export const REPAIR_FIRST_TURNS: FirstTurnKinds = {
  right: ({ first }) => solves(first),
  repaired: ({ first, following }) => !solves(first) && following.some(solves),
  failed: ({ first, following }) => !solves(first) && following.length > 0 && !following.some(solves),
};
