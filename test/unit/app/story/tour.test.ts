import { describe, expect, test } from 'vitest';
import { TourPlayer } from '../../../../src/app/story/tourPlayer.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { SEARCH_TOUR } from '../../../../src/environments/search/searchTour.ts';
import type { TourState } from '../../../../src/environments/tour.ts';
import { metricsOf } from '../appFixtures.ts';

/** A run in which a share of 100 attempts searches, and a share breaks its call. */
function stateOf(toolUse?: number, malformed = 0): TourState {
  const counts = { foundCount: 100 * (toolUse ?? 0), malformedCount: 100 * malformed };
  const skippedWrongCount = 100 - counts.foundCount - counts.malformedCount;
  const update = metricsOf(30, { toolUse: toolUse ?? 0, decision: { ...counts, skippedWrongCount } });
  const recent = toolUse === undefined ? [] : [update];
  return { attempts: 8, shared: 'GRPO-OR', separate: 'MT-GRPO', recent };
}

const words = (text: string) => text.split(/\s+/).filter((part) => /[\p{L}\d]/u.test(part)).length;
const captions = (state: TourState) => SEARCH_TOUR.map(({ caption }) => caption(state));

describe('the tour of a search run', () => {
  test('belongs to the search environment', async () => {
    expect(await ENVIRONMENTS.search.tour?.()).toBe(SEARCH_TOUR);
  });

  test('has captions of at most 12 words in any state', () => {
    const states = [stateOf(), stateOf(0.97), stateOf(0.5), stateOf(0.1), stateOf(0.04, 0.68)];
    for (const caption of states.flatMap(captions)) expect(words(caption), caption).toBeLessThanOrEqual(12);
  });

  test('takes 60 s if tool use falls and returns within 10 s', () => {
    const fixed = SEARCH_TOUR.flatMap(({ seconds, until }) => (until ? [] : seconds));
    const waiting = SEARCH_TOUR.filter(({ until }) => until);
    expect(waiting.map(({ name }) => name)).toEqual(['loss', 'return']);
    expect(fixed.reduce((sum, seconds) => sum + seconds, 0) + 10 * waiting.length).toBeLessThanOrEqual(60);
  });

  test('presses one number for all turns, then one for each turn, and leaves the user with the first', () => {
    expect(SEARCH_TOUR.flatMap(({ press }) => press ?? [])).toEqual(['shared', 'separate', 'shared']);
  });

  test('says what happens to the tool: not yet, less use, broken calls', () => {
    const loss = SEARCH_TOUR.find(({ name }) => name === 'loss');
    expect(loss?.caption(stateOf())).toBe('Watch the blue line: it usually falls after 20 to 40 updates.');
    expect(loss?.caption(stateOf(0.97))).toBe('Watch the blue line: it usually falls after 20 to 40 updates.');
    expect(loss?.caption(stateOf(0.62))).toBe('The tool dies: only 62 % of the attempts still search.');
    expect(loss?.caption(stateOf(0.04, 0.68))).toBe('Searches break: only 4 % of the attempts still get a document.');
    expect([stateOf(), stateOf(0.3), stateOf(0.2)].map((state) => loss?.until?.(state))).toEqual([false, false, true]);
  });
});

describe('the player', () => {
  const scenes = SEARCH_TOUR.filter(({ name }) => ['question', 'loss', 'return'].includes(name));
  const [question, loss, back] = scenes;

  test('ends a scene when its time is over, or when what it waits for has happened', () => {
    const player = new TourPlayer(scenes, false, 1000);
    expect(player.begin()).toEqual({ training: 'play' });
    expect(player.tick(4900, stateOf(0.97))).toBeUndefined();
    expect(player.tick(5000, stateOf(0.97))).toBe('next');
    expect(player.scene).toBe(loss);
    expect(player.tick(6000, stateOf(0.97))).toBeUndefined();
    expect(player.tick(6200, stateOf(0.1))).toBe('next');
    expect([player.scene, player.number, player.count]).toEqual([back, 3, 3]);
    expect(player.begin()).toEqual({ press: 'separate', training: 'play' });
    expect(player.progress(16_200)).toBe(0.5);
    player.next(20_000);
    expect(player.scene).toBeUndefined();
    expect(player.tick(99_000, stateOf(0.1))).toBeUndefined();
  });

  test('waits for the user with reduced motion, and trains only where a scene waits for the run', () => {
    const player = new TourPlayer(scenes, true, 0);
    expect(player.begin()).toEqual({ training: 'pause' });
    expect(player.tick(60_000, stateOf(0.97))).toBeUndefined();
    expect(player.scene).toBe(question);
    player.next(60_000);
    expect(player.begin()).toEqual({ training: 'play' });
    expect(player.tick(61_000, stateOf(0.97))).toBeUndefined();
    expect(player.tick(62_000, stateOf(0.1))).toEqual({ training: 'pause' });
    expect(player.tick(63_000, stateOf(0.1))).toBeUndefined();
    expect(player.scene).toBe(loss);
  });
});
