import { html } from 'lit';
import '../../../src/app/story/storyBar.ts';
import { learning, runOf } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

export const STORY: Specimens = {
  'tw-story': [
    {
      state: 'usual',
      content: () =>
        html`<tw-story style="position: static" .run=${runOf('search', { metrics: learning(60) })}></tw-story>`,
    },
  ],
};
