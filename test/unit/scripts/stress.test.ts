// cspell:ignore tiems
import { describe, expect, test } from 'vitest';
import { failureCounts, isLoaded, stressOptions } from '../../../scripts/stressOptions.mjs';

describe('options of npm run stress', () => {
  test('stressOptions reads ten runs of the gate with load in the last five', () => {
    const options = stressOptions(['--suite', 'gate', '--times', '10', '--load', '2', '--loaded', '5']);
    expect(options).toEqual({ suite: 'gate', files: [], times: 10, load: 2, loaded: 5 });
    const runs = Array.from({ length: 10 }, (_, index) => isLoaded(index + 1, options));
    expect(runs).toEqual([...Array(5).fill(false), ...Array(5).fill(true)]);
  });

  test('stressOptions without --loaded applies the load to every run, and to no run with --load 0', () => {
    expect(stressOptions(['--times', '3', '--load', '1', '--file', 'a', '--file', 'b'])).toEqual({
      suite: 'browser',
      files: ['a', 'b'],
      times: 3,
      load: 1,
      loaded: 3,
    });
    expect(stressOptions(['--times', '3', '--load', '0']).loaded).toBe(0);
  });

  test.each([
    [['--times', '0'], '--times: "0" is not a whole number from 1\n'],
    [['--times', '4', '--load', '2', '--loaded', '5'], '--loaded: "5" is not a whole number from 0 to 4\n'],
    [['--suite', 'nightly'], '--suite: unknown suite "nightly"; known: gate, unit, '],
    [['--suite', 'gate', '--file', 'credit'], '--file: the gate runs whole'],
    [['--tiems', '4'], "Unknown option '--tiems'"],
  ])('stressOptions throws an error for %j', (args, message) => {
    expect(() => stressOptions(args)).toThrow(message);
  });
});

test('failureCounts counts a test once per run, most frequent first', () => {
  expect(failureCounts([['a', 'b', 'b'], [], ['b']])).toEqual(['2 of 3: b', '1 of 3: a']);
});
