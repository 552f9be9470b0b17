import { html, type LitElement } from 'lit';
import { defaultConfiguration } from '../../../src/app/address/pageTables.ts';
import '../../../src/app/group/advantageRanges.ts';
import '../../../src/app/group/groupPanel.ts';
import '../../../src/app/group/groupTable.ts';
import '../../../src/app/group/scoredGroup.ts';
import '../../../src/app/group/slowMotion.ts';
import '../../../src/app/group/transcript.ts';
import '../../../src/app/group/turnCredit.ts';
import { inspectView } from '../../../src/app/inspector/inspected.ts';
import type { GroupPush, GroupView, RolloutView } from '../../../src/training/data/protocol.ts';
import { groupOf } from '../../unit/app/appFixtures.ts';
import { stepsView, treeView } from '../../unit/app/appLiveFixtures.ts';
import { CALLS, largeGroup, PROGRAMS, tiedGroup } from '../groups.ts';
import { press, type Specimens, unfold } from '../specimen.ts';

const search = defaultConfiguration('search').controls;
const repair = { ...defaultConfiguration('repair').controls, rule: 'murphy-mars' };
const repo = { ...defaultConfiguration('repo').controls, rule: 'rtmc' };

const panel = (group: GroupView | undefined) => html`<tw-group .group=${group} environment="search"></tw-group>`;
const table = (group: GroupView, chosen = 0) =>
  html`<tw-group-table .group=${group} .chosen=${chosen}></tw-group-table>`;
const renderDispersion = (group: GroupView) => html`<tw-spread .group=${group}></tw-spread>`;
const badges = (group: GroupView) => html`<tw-group-badges .group=${group}></tw-group-badges>`;
const transcript = (rollout: RolloutView | undefined) =>
  html`<tw-transcript .rollout=${rollout} number="3"></tw-transcript>`;
const large = largeGroup();

const renderCredit = (group: GroupView, rollout = 0) =>
  html`<tw-turn-credit .group=${group} .inspected=${inspectView(group)} .controls=${search} .rollout=${rollout}></tw-turn-credit>`;

/** Returns the push of an update: each turn moves a little in the direction of its advantage. */
const pushed = (group: GroupView): GroupPush => ({
  ...{ step: group.step, group: group.group },
  before: group.rollouts.map(({ turns }) => turns.map((_, turn) => -2 - turn)),
  after: group.rollouts.map(({ turns }) => turns.map(({ advantage }, turn) => -2 - turn + (advantage || 0) / 20)),
});
const slow = (group: GroupView) => html`<tw-slow-motion .group=${group} .push=${pushed(group)}></tw-slow-motion>`;
/** Clicks to the last part of the slow motion. */
const toTheEnd = (element: LitElement) => {
  for (let part = 0; part < 20; part++) press('.act button:nth-of-type(3)')(element);
};

export const GROUP: Specimens = {
  'tw-slow-motion': [
    { state: 'usual', content: () => slow(groupOf()) },
    { state: 'usual', note: 'push', content: () => slow(groupOf()), act: toTheEnd },
    { state: 'full', note: 'push', content: () => slow(large), act: toTheEnd },
    { state: 'empty', note: 'every rollout did the same', content: () => slow(tiedGroup()), act: toTheEnd },
  ],
  'tw-turn-credit': [
    { state: 'usual', content: () => renderCredit(groupOf()) },
    { state: 'usual', note: 'open', content: () => renderCredit(groupOf()), act: unfold },
    { state: 'full', content: () => renderCredit(large, 2), act: unfold },
  ],
  'tw-group': [
    { state: 'usual', content: () => panel(groupOf()) },
    { state: 'full', content: () => panel(large) },
    {
      state: 'usual',
      note: 'programs of a repair run',
      content: () => html`<tw-group .group=${treeView()} environment="repair" .controls=${repair}></tw-group>`,
    },
    {
      state: 'usual',
      note: 'tool calls of a repo run',
      content: () => html`<tw-group .group=${stepsView()} environment="repo" .controls=${repo}></tw-group>`,
    },
    { state: 'empty', note: 'no group yet', content: () => panel(undefined) },
  ],
  'tw-group-badges': [
    { state: 'usual', content: () => badges(groupOf()) },
    { state: 'full', content: () => badges(large) },
    { state: 'empty', note: 'every advantage is 0', content: () => badges(tiedGroup()) },
  ],
  'tw-group-table': [
    { state: 'usual', content: () => table(groupOf(), 1) },
    { state: 'full', content: () => table(large, 2) },
    { state: 'empty', note: 'every rollout did the same', content: () => table(tiedGroup()) },
  ],
  'tw-judged-group': [
    {
      state: 'usual',
      note: 'programs',
      content: () =>
        html`<tw-judged-group .group=${treeView()} .inspected=${PROGRAMS} .controls=${repair}></tw-judged-group>`,
    },
    {
      state: 'usual',
      note: 'tool calls',
      content: () => html`<tw-judged-group .group=${stepsView()} .inspected=${CALLS} view="states" environment="repo"
        .controls=${repo}></tw-judged-group>`,
    },
  ],
  'tw-spread': [
    { state: 'usual', content: () => renderDispersion(groupOf()) },
    { state: 'full', content: () => renderDispersion(large) },
    { state: 'empty', note: 'every advantage is 0', content: () => renderDispersion(tiedGroup()) },
  ],
  'tw-transcript': [
    { state: 'usual', content: () => transcript(groupOf().rollouts[0]), act: press('button[aria-expanded="false"]') },
    { state: 'full', content: () => transcript(large.rollouts[0]), act: press('button[aria-expanded="false"]') },
    { state: 'empty', content: () => transcript({ tokens: [], turns: [], outcome: 0 }) },
  ],
};
