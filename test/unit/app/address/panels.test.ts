import { describe, expect, test } from 'vitest';
import {
  INSPECTOR_PANELS,
  PANELS,
  PLAYGROUND_PANELS,
  panelsAt,
  trainsOnOpen,
} from '../../../../src/app/address/viewAddress.ts';

describe('panels of a view', () => {
  test('every panel belongs to exactly one view', () => {
    expect([...PLAYGROUND_PANELS, ...INSPECTOR_PANELS].sort()).toEqual([...PANELS].sort());
  });

  test('the Playground shows all its panels by default, or the panels of the link', () => {
    expect(panelsAt('play', [])).toEqual(PLAYGROUND_PANELS);
    expect(panelsAt('play', ['group', 'inspector'])).toEqual(['group', 'inspector']);
  });

  test('the Inspector shows all its panels by default, or the panels of the link', () => {
    expect(panelsAt('inspect', [])).toEqual(['inspector', 'truth']);
    expect(panelsAt('inspect', ['group', 'truth'])).toEqual(['truth']);
    expect(panelsAt('inspect', ['group'])).toEqual(['inspector', 'truth']);
    expect(panelsAt('python', ['group'])).toEqual(['python']);
  });

  test('a frame without links to other views can show all panels', () => {
    expect(panelsAt('play', [], true)).toEqual(PANELS);
    expect(panelsAt('play', ['group'], true)).toEqual(['group']);
  });
});

test.each([
  [[], '', true],
  [[], '#play', true],
  [['inspector'], '', true],
  [['python'], '', false],
  [[], '#inspect', false],
  [[], '#python', false],
] as const)('a page with panels %j at hash "%s" starts training on open: %s', (panels, hash, expected) => {
  expect(trainsOnOpen(panels, hash)).toBe(expected);
});
