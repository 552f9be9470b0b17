import { meanFact, percent, type TourScene, type TourState } from '../story.ts';

/** Number of updates under the second rule before the scene of the change ends. */
const UPDATES = 3;

function repairs({ separate, recent }: TourState): string {
  if (recent.length === 0) return `Now ${separate}: a failure gets several second programs.`;
  const [first, repaired] = ['pass1', 'repaired'].map((name) => meanFact(recent, name));
  return `Under ${separate}: ${percent(first)} solved at once, ${percent(repaired)} of the failures repaired.`;
}

/** Scenes of the tour of a repair run: an attempt, and the credit that each rule assigns to its programs. */
export const REPAIR_TOUR: readonly TourScene[] = [
  {
    // Groups of this rule are chains, which both rules can read.
    ...{ name: 'question', seconds: 4, part: 'question', press: 'shared' },
    caption: () => 'An agent writes a program. Unit tests check it.',
  },
  {
    ...{ name: 'attempt', seconds: 6, part: 'attempt' },
    caption: () => 'Dots are tests. After a failure it writes a second program.',
  },
  {
    ...{ name: 'attempts', seconds: 4, part: 'attempts' },
    caption: ({ attempts }) => `${attempts} attempts at one problem. They differ by chance.`,
  },
  {
    ...{ name: 'reward', seconds: 4, part: 'results' },
    caption: () => 'The reward comes at the end: do all tests pass?',
  },
  {
    ...{ name: 'shared', seconds: 7, part: 'credit', preview: 'shared' },
    caption: ({ shared }) => `${shared} gives both programs of an attempt one number.`,
  },
  {
    ...{ name: 'separate', seconds: 7, part: 'credit', preview: 'separate' },
    caption: ({ separate }) => `${separate} gives each program its own. Blue: more likely, orange: less.`,
  },
  {
    ...{ name: 'press', seconds: 20, press: 'separate' },
    until: ({ recent }) => recent.length >= UPDATES,
    caption: repairs,
  },
  {
    ...{ name: 'challenge', seconds: 8 },
    caption: () => 'Your turn: press a rule, and compare the bars.',
  },
];
