import { html } from 'lit';
import '../../../src/app/glossary/explain.ts';
import '../../../src/app/glossary/glossary.ts';
import '../../../src/app/glossary/panelGlossary.ts';
import { type Specimens, unfold } from '../specimen.ts';

export const GLOSSARY: Specimens = {
  'tw-explain': [
    { state: 'usual', content: () => html`<tw-explain term="the gallery"></tw-explain>` },
    { state: 'usual', note: 'pressed', content: () => html`<tw-explain term="the gallery" explained></tw-explain>` },
  ],
  'tw-words': [
    { state: 'usual', content: () => html`<tw-words></tw-words>` },
    { state: 'full', note: 'everything unfolded', content: () => html`<tw-words></tw-words>`, act: unfold },
  ],
  'tw-words-here': [
    { state: 'usual', content: () => html`<tw-words-here panel="truth" environment="repair"></tw-words-here>` },
    {
      state: 'usual',
      note: 'events of a run',
      content: () => html`<tw-words-here term="collapse" rule="murphy-mars"></tw-words-here>`,
    },
  ],
};
