import { describe, expect, test } from 'vitest';
import { readPlace, writePlace } from '../../../../src/app/address/place.ts';

describe('the place of an address', () => {
  test.each([
    ['', 'play', [], false],
    ['#', 'play', [], false],
    ['#main', 'play', [], false],
    ['#curves', 'play', [], false],
    ['#play', 'play', [], true],
    ['#learn', 'learn', [], true],
    ['#learn/', 'learn', [], true],
    ['#learn/tool-dies', 'learn', ['tool-dies'], true],
    ['#learn/tool-dies/peer', 'learn', ['tool-dies', 'peer'], true],
    ['#learning', 'play', [], false],
  ] as const)('%j is %s', (hash, page, path, named) => {
    expect(readPlace(hash)).toEqual({ place: page, path, named });
  });

  test('that is written is read again', () => {
    expect(readPlace(writePlace('learn', 'tool-dies', 'college'))).toMatchObject({ path: ['tool-dies', 'college'] });
    expect(writePlace('play')).toBe('#play');
  });
});
