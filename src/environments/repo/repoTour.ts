import { meanFact, percent, type TourScene } from '../story.ts';

/** Number of updates under the first rule before the scene of the change ends. */
const UPDATES = 3;

/** Scenes of the tour of a repository run: an attempt, and the credit that each rule assigns to its steps. */
export const REPO_TOUR: readonly TourScene[] = [
  {
    ...{ name: 'question', seconds: 4, part: 'question' },
    caption: () => 'An agent gets an issue of a small repository.',
  },
  {
    ...{ name: 'attempt', seconds: 5, part: 'attempt' },
    caption: () => 'One attempt: each box is a step, such as view or edit.',
  },
  {
    ...{ name: 'attempts', seconds: 5, part: 'attempts' },
    caption: ({ attempts }) => `${attempts} attempts at one issue. Equal letters: equal states.`,
  },
  {
    ...{ name: 'reward', seconds: 4, part: 'results' },
    caption: () => 'The reward comes at the end: is every bug fixed?',
  },
  {
    ...{ name: 'shared', seconds: 6, part: 'credit', preview: 'shared' },
    caption: ({ shared }) => `${shared} gives all steps of an attempt one number.`,
  },
  {
    ...{ name: 'separate', seconds: 6, part: 'credit', preview: 'separate' },
    caption: ({ separate }) => `${separate} gives each step its own. Blue: more likely, orange: less.`,
  },
  {
    ...{ name: 'press', seconds: 15, press: 'shared' },
    until: ({ recent }) => recent.length >= UPDATES,
    caption: ({ shared, recent }) =>
      recent.length === 0
        ? `Now ${shared}: helpful and harmful steps get the same credit.`
        : `Under ${shared}: ${percent(meanFact(recent, 'solved'))} of the attempts fix every bug.`,
  },
  {
    ...{ name: 'return', seconds: 5, part: 'credit', press: 'separate' },
    caption: ({ separate }) => `${separate} again: steps in equal states are compared.`,
  },
  {
    ...{ name: 'challenge', seconds: 6 },
    caption: () => 'Your turn: press a rule, and compare the bars.',
  },
];
