import { group } from 'd3-array';
import { expect, test } from 'vitest';
import type { EngineDevice } from '../../../src/engine/engine.ts';
import { measureDisplayedGroup } from '../../../src/experiments/truth/measureSelected.ts';
import type { RunConfiguration } from '../../../src/training/data/configuration.ts';
import type { Message } from '../../../src/training/data/protocol.ts';
import type { TruthRequest } from '../../../src/training/data/truthReport.ts';
import { readBanks } from '../../scripted/readBanks.ts';
import { ScriptedGpu } from '../../scripted/scriptedGpu.ts';
import { scriptedRuns } from '../../scripted/scriptedRuns.ts';
import { measureScripted } from '../../scripted/scriptedTruth.ts';
import { configuration, Page } from './sessionPage.ts';

/** Fields whose keys depend on the sampled rollouts, not on the protocol. */
const DICTIONARIES = ['components', 'facts', 'changes', 'controls', 'settings', 'states', 'decision', 'heldOut'];
/** Fields that a turn has only if it called a tool or ended a rollout in a certain way. */
const OF_SOME_TURNS = /\.(tool|solved|outcome|truncated)\b/;

/** Request to measure the true advantages of a group. */
const TRUTH: TruthRequest = {
  rules: ['grpo-or', 'mt-grpo'],
  continuations: 8,
  gradientGroups: 2,
  counts: { kind: 'outcome', gamma: 1, bonus: 0 },
};

/** Returns all paths of a value with the type at their end, for example `group.rollouts[].outcome: number`. */
function pathsOf(value: unknown, path = ''): string[] {
  if (value instanceof ArrayBuffer) return [`${path}: bytes`];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => pathsOf(item, `${path}[]`)))];
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([key, inner]) =>
    DICTIONARIES.includes(key) ? [`${path}.${key}: dictionary`] : pathsOf(inner, `${path}.${key}`),
  );
}

/** Returns all paths that occur in messages of each type. */
function shapes(messages: readonly Message[]): Record<string, string[]> {
  return Object.fromEntries(
    [...group(messages, ({ type }) => type)].map(([type, all]) => [
      type,
      [...new Set(all.flatMap((message) => pathsOf(message)))].filter((path) => !OF_SOME_TURNS.test(path)).sort(),
    ]),
  );
}

/** Sends the commands of the page in sequence, and returns the messages of each step. */
async function play(page: Page, run: RunConfiguration): Promise<Message[][]> {
  const parts: Message[][] = [];
  const part = async (act: () => Promise<unknown>) => {
    const from = page.messages.length;
    await act();
    await page.answered();
    parts.push(page.messages.slice(from));
  };
  await part(async () => {
    page.send({ type: 'prepare' });
    page.start(false, run);
    await page.paused();
  });
  await part(() => page.steps(1));
  await part(async () => page.send({ type: 'change', changes: { rule: 'grpo-or', rewardSkip: -0.3 } }));
  await part(async () => page.send({ type: 'change', changes: { rule: 'no-such-rule' } }));
  await part(() => page.steps(1));
  await part(async () => page.send({ type: 'change', changes: { rule: 'mt-ppo', criticUpdates: 1 } }));
  await part(() => page.steps(2));
  await part(async () => page.send({ type: 'drop-plan' }));
  await part(async () => page.send({ type: 'sample' }));
  await part(async () => page.send({ type: 'show', group: 0 }));
  await part(async () => {
    page.send({
      type: 'measure-truth',
      request: { ...TRUTH, of: { step: page.metrics.length - 1, group: 0, sampleOnly: false } },
    });
    await page.waitFor('truth');
  });
  await part(async () => {
    const from = page.messages.length;
    page.send({ type: 'measure-truth', request: { ...TRUTH, continuations: 256, gradientGroups: 256 } });
    await page.waitFor('truth-progress', undefined, from);
    page.send({ type: 'cancel-truth' });
    await page.waitFor('truth', undefined, from);
  });
  await part(async () => {
    page.send({ type: 'hold', of: { step: page.metrics.length, sampleOnly: true } });
    page.send({ type: 'hold', of: null });
  });
  await part(async () => {
    const from = page.messages.length;
    page.send({ type: 'slow-motion' });
    await page.waitFor('push', undefined, from);
  });
  await part(async () => {
    const from = page.messages.length;
    page.send({ type: 'play' });
    await page.waitFor('metrics', undefined, from);
    page.send({ type: 'visibility', hidden: true });
    await page.waitFor('status', ({ status }) => status === 'hidden', from);
    page.send({ type: 'pause' });
    page.send({ type: 'visibility', hidden: false });
  });
  await part(async () => {
    const from = page.messages.length;
    page.loseDevice();
    await page.waitFor('event', ({ event }) => event.kind === 'recovered', from);
  });
  await part(async () => {
    const from = page.messages.length;
    page.start(false, run);
    await page.waitFor('ready', undefined, from);
  });
  return parts;
}

/** Returns the types of messages, without repetitions. */
const kinds = (messages: readonly Message[]) => [...new Set(messages.map(({ type }) => type))].sort();

test('scripted runs and real runs send messages of the same types and shapes for the same commands', async () => {
  const run = { ...configuration, schedule: [{ step: 90, changes: { learningRate: 1e-3 } }] };
  const real = new Page({ measureTruth: measureDisplayedGroup });
  const openDevice = async () => new ScriptedGpu(0) as unknown as EngineDevice;
  const scripted = new Page({ openDevice, measureTruth: measureScripted }, scriptedRuns(readBanks()));
  const [expected, given] = [await play(real, run), await play(scripted, run)];
  expect(given.map(kinds)).toEqual(expected.map(kinds));
  expect(shapes(given.flat())).toEqual(shapes(expected.flat()));
});
