import type { NamedWorld } from '../descriptor.ts';

/** Named worlds of the search environment. Runs use the first world by default. */
export const SEARCH_WORLDS: readonly NamedWorld[] = [
  {
    name: 'shortcut',
    title: 'Memory shortcut',
    shows:
      'The policy knows every answer that training asks for, and some documents are out of date. Memory always pays more ' +
      'than a search, and new questions can be answered with a search alone.',
    settings: { knownShare: 1, known: 'asked', stale: 0.3 },
    // The page shows the values of held-out questions together with the training values, on every device.
    controls: { learningRate: 3e-4, klCoef: 0.02, heldOutMode: 'on', heldOutEvery: 5 },
  },
  {
    name: 'open',
    title: 'Reliable documents',
    shows:
      'The policy knows some facts, and every document is right. At first memory pays more than reading; once reading is ' +
      'learned, a search pays more.',
    settings: {},
    controls: {},
  },
];
