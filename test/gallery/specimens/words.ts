import { html } from 'lit';
import '../../../src/app/words/explain.ts';
import '../../../src/app/words/glossary.ts';
import '../../../src/app/words/wordsHere.ts';
import { type Specimens, unfold } from '../specimen.ts';

export const GLOSSARY: Specimens = {
  'tw-explain': [
    { state: 'usual', content: () => html`<tw-explain what="the gallery"></tw-explain>` },
    { state: 'usual', note: 'pressed', content: () => html`<tw-explain what="the gallery" explained></tw-explain>` },
  ],
  'tw-words': [
    { state: 'usual', content: () => html`<tw-words></tw-words>` },
    { state: 'full', note: 'everything unfolded', content: () => html`<tw-words></tw-words>`, act: unfold },
  ],
  'tw-words-here': [
    { state: 'usual', content: () => html`<tw-words-here place="truth" environment="repair"></tw-words-here>` },
    {
      state: 'usual',
      note: 'what happened',
      content: () => html`<tw-words-here word="collapse" rule="murphy-mars"></tw-words-here>`,
    },
  ],
};
