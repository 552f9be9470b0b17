import type { TourScene, TourState } from '../story.ts';
import { DELAY, malformedShare, meanToolUse, newestToolUse } from './searchStory.ts';

/** Tool use below which the scene of the loss ends, and above which the scene of the return ends. */
const DYING = 0.25;
const BACK = 0.5;
/** Tool use below which the caption states that it falls. */
const FALLING = 0.8;
/** Share of malformed calls above which the caption reports them. */
const BROKEN = 0.2;

function falling({ recent, isRecorded }: TourState): string {
  const share = meanToolUse(recent);
  if (!(share < FALLING)) {
    return isRecorded
      ? `Watch the blue line: it usually falls after ${DELAY} updates.`
      : 'Watch the blue line: the share of attempts that search.';
  }
  if (malformedShare(recent) > BROKEN)
    return `Searches break: only ${newestToolUse(recent)} of the attempts still get a document.`;
  return `Tool use drops: only ${newestToolUse(recent)} of the attempts still search.`;
}

/** Scenes of the tour of a search run: an attempt, its credit, and the effect of each rule on tool use. */
export const SEARCH_TOUR: readonly TourScene[] = [
  {
    ...{ name: 'question', seconds: 4, part: 'question' },
    caption: () => 'An agent gets a question. It may search before it answers.',
  },
  {
    ...{ name: 'attempt', seconds: 5, part: 'attempt' },
    caption: () => 'One attempt: the first turn, the document found, the answer.',
  },
  {
    ...{ name: 'attempts', seconds: 4, part: 'attempts' },
    caption: ({ attempts }) => `${attempts} attempts at one question. They differ by chance.`,
  },
  {
    ...{ name: 'reward', seconds: 4, part: 'results' },
    caption: () => 'The reward comes at the end: correct or incorrect.',
  },
  {
    ...{ name: 'shared', seconds: 6, part: 'credit', preview: 'shared' },
    caption: ({ shared }) => `${shared} gives all turns of an attempt one number.`,
  },
  {
    ...{ name: 'separate', seconds: 6, part: 'credit', preview: 'separate' },
    caption: ({ separate }) => `${separate} gives each turn its own. Blue: more likely, orange: less.`,
  },
  {
    ...{ name: 'press', seconds: 3, press: 'shared' },
    caption: ({ shared }) => `Now ${shared}: a search earns nothing by itself.`,
  },
  { name: 'loss', seconds: 45, until: ({ recent }) => meanToolUse(recent) < DYING, caption: falling },
  {
    ...{ name: 'return', seconds: 20, press: 'separate' },
    until: ({ recent }) => meanToolUse(recent) > BACK,
    caption: ({ separate, recent }) =>
      recent.length === 0
        ? `${separate} again: a search earns its own credit.`
        : `${separate} again: a search earns credit. ${newestToolUse(recent)} search.`,
  },
  {
    ...{ name: 'challenge', seconds: 8, press: 'shared' },
    caption: ({ shared }) => `Your turn: ${shared} is pressed again. Save the tool.`,
  },
];
