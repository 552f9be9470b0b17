import { html } from 'lit';
import '../../../src/app/picture/groupPicture.ts';
import '../../../src/app/sentence/runSentence.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import type { GroupView } from '../../../src/training/data/protocol.ts';
import { findWorld, openingRun, standardRun } from '../../../src/training/data/worlds.ts';
import { groupOf } from '../../unit/app/appFixtures.ts';
import { stepsView, treeView } from '../../unit/app/appLiveFixtures.ts';
import { largeGroup, tiedGroup } from '../groups.ts';
import { change, learning, runOf } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

function picture(
  group: GroupView | undefined,
  environment: EnvironmentName,
  rule?: string,
  preview = '',
  world?: string,
) {
  const named = findWorld(environment, world);
  const { settings, controls } = named ? standardRun(environment, named) : openingRun(environment);
  return html`<tw-picture .group=${group} .environment=${environment} .settings=${settings} .preview=${preview}
    .controls=${rule === undefined ? controls : { ...controls, rule }}></tw-picture>`;
}

const sentence = (run: ReturnType<typeof runOf>) => html`<tw-sentence .run=${run}></tw-sentence>`;

export const PICTURE: Specimens = {
  'tw-picture': [
    { state: 'usual', content: () => picture(groupOf(), 'search') },
    {
      state: 'usual',
      note: 'before training, same credit for all turns',
      content: () => picture(undefined, 'search', 'grpo-or'),
    },
    {
      state: 'empty',
      note: 'before training, in a world without a recorded group',
      content: () => picture(undefined, 'bandit', undefined, '', 'delayed'),
    },
    { state: 'usual', note: 'programs', content: () => picture(treeView(), 'repair', 'murphy-mars') },
    { state: 'usual', note: 'steps', content: () => picture(stepsView(), 'repo', 'rtmc', 'grpo-or') },
    { state: 'full', content: () => picture(largeGroup(), 'search') },
    { state: 'empty', note: 'no learning signal', content: () => picture(tiedGroup(), 'search') },
    {
      state: 'error',
      note: 'a rule that cannot read the group',
      content: () => picture(treeView(), 'repair', 'grpo-mt'),
    },
  ],
};

export const SENTENCE: Specimens = {
  'tw-sentence': [
    { state: 'usual', content: () => sentence(runOf('search', { metrics: learning(60) })) },
    {
      state: 'usual',
      note: 'after a change of the rule',
      content: () => sentence(runOf('search', { metrics: learning(60), events: [change(40, { rule: 'grpo-or' })] })),
    },
    { state: 'empty', content: () => sentence(runOf('repair')) },
  ],
};
