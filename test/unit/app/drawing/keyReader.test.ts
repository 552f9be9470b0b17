import { describe, expect, test } from 'vitest';
import { indexByKey } from '../../../../src/app/drawing/keyReader.ts';

/** Returns the mark that a key selects from the third of thirty marks. */
const from = (key: string, shiftKey = false, now = 2, count = 30) => indexByKey({ key, shiftKey }, now, count);

describe('the keys of a drawing', () => {
  test('arrows lead to a neighbour, with Shift ten further', () => {
    expect([from('ArrowLeft'), from('ArrowDown'), from('ArrowRight'), from('ArrowUp')]).toEqual([1, 1, 3, 3]);
    expect([from('ArrowRight', true), from('ArrowUp', true), from('ArrowLeft', true, 25)]).toEqual([12, 12, 15]);
  });

  test('Page keys pass ten, Home and End lead to the ends', () => {
    expect([from('PageUp'), from('PageDown', false, 25), from('Home'), from('End')]).toEqual([12, 15, 0, 29]);
  });

  test('keys do not move past the first or last position', () => {
    expect([from('PageDown'), from('ArrowLeft', false, 0), from('ArrowRight', false, 29)]).toEqual([0, 0, 29]);
    expect([from('ArrowLeft', false, -1), from('ArrowRight', false, -1)]).toEqual([0, 0]);
  });

  test('other keys have no effect, and neither does any key in an empty drawing', () => {
    expect([from('Tab'), from('a'), from('Home', false, -1, 0)]).toEqual([undefined, undefined, undefined]);
  });
});
