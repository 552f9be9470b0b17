import { describe, expect, test } from 'vitest';
import { TourClock } from '../../../../src/app/story/storyBar.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { REPAIR_TOUR } from '../../../../src/environments/repair/repairTour.ts';
import { REPO_TOUR } from '../../../../src/environments/repo/repoTour.ts';
import { SEARCH_TOUR } from '../../../../src/environments/search/searchTour.ts';
import type { TourState } from '../../../../src/environments/story.ts';
import { metricsOf } from '../appFixtures.ts';

/** Returns the state of a run with these shares of searches and malformed calls in 100 attempts. */
function stateOf(toolUse?: number, malformed = 0): TourState {
  const searched = 100 * (toolUse ?? 0);
  const counts = { missedCount: searched, malformedCount: 100 * malformed };
  const skippedWrongCount = 100 - searched - counts.malformedCount;
  const update = metricsOf(30, { toolUse: toolUse ?? 0, decision: { ...counts, skippedWrongCount } });
  const recent = toolUse === undefined ? [] : [update];
  return { attempts: 8, shared: 'GRPO-OR', separate: 'MT-GRPO', isRecorded: true, recent };
}

const lengthOf = (text: string) => text.split(/\s+/).filter((part) => /[\p{L}\d]/u.test(part)).length;
const captions = (state: TourState) => SEARCH_TOUR.map(({ caption }) => caption(state));

describe('the tour of a Search run', () => {
  test('the Search environment has the Search tour', async () => {
    expect(await ENVIRONMENTS.search.tour?.()).toBe(SEARCH_TOUR);
  });

  test('the Search tour has captions of at most 12 words in any state', () => {
    const states = [stateOf(), stateOf(0.97), stateOf(0.5), stateOf(0.1), stateOf(0.04, 0.68)];
    for (const caption of states.flatMap(captions)) expect(lengthOf(caption), caption).toBeLessThanOrEqual(12);
  });

  test('the Search tour takes at most 60 s if tool use falls and returns within 10 s each', () => {
    const fixed = SEARCH_TOUR.flatMap(({ seconds, until }) => (until ? [] : seconds));
    const waiting = SEARCH_TOUR.filter(({ until }) => until);
    expect(waiting.map(({ name }) => name)).toEqual(['loss', 'return']);
    expect(fixed.reduce((sum, seconds) => sum + seconds, 0) + 10 * waiting.length).toBeLessThanOrEqual(60);
  });

  test('the Search tour selects the rule with shared credit, then separate credit, then shared credit again', () => {
    expect(SEARCH_TOUR.flatMap(({ press }) => press ?? [])).toEqual(['shared', 'separate', 'shared']);
  });

  test('the Search tour describes the change of tool use: none yet, less use or malformed calls', () => {
    const loss = SEARCH_TOUR.find(({ name }) => name === 'loss');
    expect(loss?.caption(stateOf())).toBe('Watch the blue line: it usually falls after 20 to 40 updates.');
    expect(loss?.caption(stateOf(0.97))).toBe('Watch the blue line: it usually falls after 20 to 40 updates.');
    expect(loss?.caption({ ...stateOf(0.97), isRecorded: false })).toBe(
      'Watch the blue line: the share of attempts that search.',
    );
    expect(loss?.caption(stateOf(0.62))).toBe('Tool use drops: only 62% of the attempts still search.');
    expect(loss?.caption(stateOf(0.04, 0.68))).toBe('Searches break: only 4% of the attempts still get a document.');
    expect([stateOf(), stateOf(0.3), stateOf(0.2)].map((state) => loss?.until?.(state))).toEqual([false, false, true]);
  });
});

describe.each([
  [
    'repair',
    REPAIR_TOUR,
    { shared: 'GRPO-MT', separate: 'Murphy-MaRS' },
    ['shared', 'separate'],
    { pass1: 0.412, repaired: 0.3 },
  ],
  ['repo', REPO_TOUR, { shared: 'GRPO-OR', separate: 'RTMC' }, ['shared', 'separate'], { solved: 0.25 }],
] as const)('the tour of a %s run', (name, tour, titles, presses, facts) => {
  const recent = Array.from({ length: 3 }, (_, step) => metricsOf(step, { facts }));
  const states: readonly TourState[] = [
    { attempts: 10, ...titles, isRecorded: false, recent: [] },
    { attempts: 10, ...titles, isRecorded: false, recent },
  ];

  test('each tour belongs to its environment and has captions of at most 12 words', async () => {
    expect(await ENVIRONMENTS[name].tour?.()).toBe(tour);
    const texts = states.flatMap((state) => tour.map(({ caption }) => caption(state)));
    for (const text of texts) expect(lengthOf(text), text).toBeLessThanOrEqual(12);
  });

  test('each tour takes at most 60 s and previews one group under both rules before it changes the rule', () => {
    expect(tour.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(60);
    expect(tour.flatMap(({ preview }) => preview ?? [])).toEqual(['shared', 'separate']);
    expect(tour.flatMap(({ press }) => press ?? [])).toEqual(presses);
  });

  test('each tour waits for three updates under the new rule and describes their results', () => {
    const waiting = tour.find(({ until }) => until);
    expect(states.map((state) => waiting?.until?.(state))).toEqual([false, true]);
    expect(waiting?.caption(states[1] as TourState)).toBe(
      name === 'repair'
        ? 'Under Murphy-MaRS: 41% solved at once, 30% of the failures repaired.'
        : 'Under GRPO-OR: 25% of the attempts fix every bug.',
    );
  });
});

describe('the clock of a tour', () => {
  const scenes = SEARCH_TOUR.filter(({ name }) => ['question', 'loss', 'return'].includes(name));
  const [question, loss, back] = scenes;

  test('the clock of a tour ends a scene when its time is over or its condition is met', () => {
    const clock = new TourClock(scenes, false, 1000);
    expect(clock.begin()).toEqual({ training: 'play' });
    expect(clock.tick(4900, stateOf(0.97))).toBeUndefined();
    expect(clock.tick(5000, stateOf(0.97))).toBe('next');
    expect(clock.scene).toBe(loss);
    expect(clock.tick(6000, stateOf(0.97))).toBeUndefined();
    expect(clock.tick(6200, stateOf(0.1))).toBe('next');
    expect([clock.scene, clock.number, clock.count]).toEqual([back, 3, 3]);
    expect(clock.begin()).toEqual({ press: 'separate', training: 'play' });
    expect(clock.progress(16_200)).toBe(0.5);
    clock.next(20_000);
    expect(clock.scene).toBeUndefined();
    expect(clock.tick(99_000, stateOf(0.1))).toBeUndefined();
  });

  test('with reduced motion, a tour waits for the user and trains only in scenes that wait for the run', () => {
    const clock = new TourClock(scenes, true, 0);
    expect(clock.begin()).toEqual({ training: 'pause' });
    expect(clock.tick(60_000, stateOf(0.97))).toBeUndefined();
    expect(clock.scene).toBe(question);
    clock.next(60_000);
    expect(clock.begin()).toEqual({ training: 'play' });
    expect(clock.tick(61_000, stateOf(0.97))).toBeUndefined();
    expect(clock.tick(62_000, stateOf(0.1))).toEqual({ training: 'pause' });
    expect(clock.tick(63_000, stateOf(0.1))).toBeUndefined();
    expect(clock.scene).toBe(loss);
  });
});
