import { describe, expect, test } from 'vitest';
import { readUrl } from '../../../../src/app/address/url.ts';
import {
  asksForRun,
  nearestRecording,
  notPlayed,
  pairing,
  recordingOfEnvironment,
} from '../../../../src/app/recordings/nearestRecording.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { RECORDED, type Recorded, runsOf } from '../../../../src/training/data/recorded.ts';

/** What a link gets, and what it is told of it. */
function answer(query: string): [recording: string, missing: readonly string[]] {
  const { configuration, others } = readUrl(query);
  const asked = [configuration, ...others] as const;
  const recorded = nearestRecording(asked);
  return [recorded.name, notPlayed(asked, runsOf(recorded))];
}

describe('the recording of a link', () => {
  test.each(RECORDED)('is $name, where it asks for its runs', (recorded) => {
    const asked = runsOf(recorded);
    expect(nearestRecording(asked)).toBe(recorded);
    expect(notPlayed(asked, asked)).toEqual([]);
  });

  test('is the standard run of its environment, where nothing else comes nearer', () => {
    expect(recordingOfEnvironment('search').name).toBe('mt-grpo');
    expect(recordingOfEnvironment('repair').name).toBe('grpo-mt');
    expect(recordingOfEnvironment('repo').name).toBe('rtmc');
    expect(answer('?v=1&environment=repair&rule=rloo')).toEqual(['grpo-mt', ['the rule RLOO']]);
  });

  test('is one of its rule, and what is not played is said', () => {
    expect(answer('?v=1&environment=repair&rule=verpo')).toEqual(['verpo', []]);
    expect(answer('?v=1&environment=repair&rule=verpo&seed=7')).toEqual(['verpo', ['seed 7']]);
    expect(answer('?v=1&rule=grpo-or&questions=4')).toEqual(['open-or', ['Questions a step 4']]);
    expect(answer('?v=1&world=shortcut&rule=grpo-or')).toEqual(['grpo-or', []]);
    expect(answer('?v=1&world=shortcut&rule=mt-grpo&at=40:rule=grpo-or;90:rule=mt-grpo')).toEqual(['toggle', []]);
    expect(answer('?v=1&rule=mt-grpo&at=60:rule=grpo-or,klCoef=0.1')).toEqual([
      'open-mt',
      [expect.stringMatching(/^from step 60 on .* GRPO-OR$/), expect.stringMatching(/^from step 60 on .* 0\.1$/)],
    ]);
  });

  test('of another environment cannot be compared', () => {
    const [repair, search] = [defaultConfiguration('repair'), defaultConfiguration('search')];
    expect(notPlayed([repair], [search])).toEqual(['the environment Repair']);
  });

  test('of several runs has them all, in any order; what differs is named, once where it is so of all', () => {
    const both = '?v=1&world=shortcut';
    const name = 'mt-grpo-grpo-or';
    expect(answer(`${both}&rule=mt-grpo&runs=rule=grpo-or`)).toEqual([name, []]);
    expect(answer(`${both}&rule=grpo-or&runs=rule=mt-grpo`)).toEqual([name, []]);
    expect(answer(`${both}&rule=mt-grpo&seed=7&runs=rule=grpo-or`)).toEqual([name, ['seed 7']]);
    expect(answer(`${both}&rule=mt-grpo&seed=7&questions=4&runs=rule=grpo-or%26seed=8`)).toEqual([
      name,
      ['Questions a step 4', 'seed 7 (run 1)', 'seed 8 (run 2)'],
    ]);
  });

  test('of several runs that no recording has is that of the first alone, and the others are named', () => {
    expect(answer('?v=1&world=shortcut&rule=mt-grpo&runs=rule=rtmc|seed=2')).toEqual([
      'mt-grpo',
      ['run 2 (the rule RTMC)', 'run 3 (seed 2)'],
    ]);
    expect(answer('?v=1&world=shortcut&rule=mt-grpo&runs=rule=grpo-or|')).toEqual([
      'mt-grpo',
      ['run 2 (the rule GRPO-OR)', 'run 3'],
    ]);
    // A fork is another course than a run under its last rule from the start.
    expect(answer('?v=1&world=shortcut&rule=mt-grpo&runs=at=40:rule=grpo-or')).toEqual([
      'mt-grpo',
      [expect.stringMatching(/^run 2 \(from step 40 on .* GRPO-OR\)$/)],
    ]);
    // In another world the same rules go another way.
    expect(answer('?v=1&world=open&rule=mt-grpo&runs=rule=grpo-or')).toEqual(['open-mt', ['run 2 (the rule GRPO-OR)']]);
    expect(answer('?v=1&environment=repair&rule=verpo&seed=7&runs=rule=grpo-mt')).toEqual([
      'verpo',
      ['seed 7', 'run 2 (the rule GRPO-MT)'],
    ]);
  });

  test('has its runs paired with those that are asked for, each once', () => {
    const [first] = runsOf(RECORDED[0] as Recorded);
    const seed = (value: number) => ({ ...first, seed: value });
    expect(pairing([seed(2), seed(1)], [seed(1), seed(2)])).toEqual([1, 0]);
    expect(pairing([seed(1), seed(1), seed(1)], [seed(1), seed(2)])).toEqual([0, 1, undefined]);
    expect(pairing([seed(5), seed(6)], [seed(1)])).toEqual([0, undefined]);
  });

  test('an address that says nothing of a run asks for none', () => {
    expect(['', '?v=1&recorded=1&panels=group', '?embed=1'].map(asksForRun)).toEqual([false, false, false]);
    expect(['?seed=1', '?v=1&environment=repair', '?at=3:rule=grpo-or'].map(asksForRun)).toEqual([true, true, true]);
  });
});
