import { describe, expect, test } from 'vitest';
import { readViewAddress, writeViewAddress } from '../../../../src/app/address/viewAddress.ts';

describe('the view of an address', () => {
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
  ] as const)('the hash %j opens the view %s', (hash, page, path, named) => {
    expect(readViewAddress(hash)).toEqual({ view: page, path, named });
  });

  test('a written view address is read as the same view and path', () => {
    expect(readViewAddress(writeViewAddress('learn', 'tool-dies', 'college'))).toMatchObject({
      path: ['tool-dies', 'college'],
    });
    expect(writeViewAddress('play')).toBe('#play');
  });
});
