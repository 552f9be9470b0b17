import { describe, expect, test } from 'vitest';
import { indexByKey } from '../../../../src/app/drawing/drawing.ts';

/** Returns the index of the mark that a key selects, by default from the third of 30 marks. */
const from = (key: string, shiftKey = false, now = 2, count = 30) => indexByKey({ key, shiftKey }, now, count);

describe('keys of a drawing', () => {
  test('an arrow key selects the neighbouring mark, or the mark ten positions away with Shift', () => {
    expect([from('ArrowLeft'), from('ArrowDown'), from('ArrowRight'), from('ArrowUp')]).toEqual([1, 1, 3, 3]);
    expect([from('ArrowRight', true), from('ArrowUp', true), from('ArrowLeft', true, 25)]).toEqual([12, 12, 15]);
  });

  test('Page keys move the selection by ten marks; Home and End select the first and last mark', () => {
    expect([from('PageUp'), from('PageDown', false, 25), from('Home'), from('End')]).toEqual([12, 15, 0, 29]);
  });

  test('keys move the selection at most to the first or last mark', () => {
    expect([from('PageDown'), from('ArrowLeft', false, 0), from('ArrowRight', false, 29)]).toEqual([0, 0, 29]);
    expect([from('ArrowLeft', false, -1), from('ArrowRight', false, -1)]).toEqual([0, 0]);
  });

  test('other keys select no mark, and no key selects a mark in an empty drawing', () => {
    expect([from('Tab'), from('a'), from('Home', false, -1, 0)]).toEqual([undefined, undefined, undefined]);
  });
});
