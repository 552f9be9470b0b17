import { describe, expect, test } from 'vitest';
import { readUrl } from '../../../../src/app/address/url.ts';
import {
  asksForRun,
  nearestRecording,
  notPlayed,
  recordingOfEnvironment,
} from '../../../../src/app/recordings/nearestRecording.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { PRESETS, presetRun } from '../../../../src/training/data/presets.ts';

/** What a link gets, and what it is told of it. */
function answer(query: string): [preset: string, missing: readonly string[]] {
  const { configuration } = readUrl(query);
  const preset = nearestRecording(configuration);
  const played = presetRun(preset);
  return [preset.name, notPlayed(configuration, played)];
}

describe('the recording of a link', () => {
  test.each(PRESETS)('is that of the preset $name, where it asks for that', (preset) => {
    const asked = presetRun(preset);
    expect(nearestRecording(asked)).toBe(preset);
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
    expect(notPlayed(repair, search)).toEqual(['the environment Repair']);
  });

  test('an address that says nothing of a run asks for none', () => {
    expect(['', '?v=1&recorded=1&panels=group', '?embed=1'].map(asksForRun)).toEqual([false, false, false]);
    expect(['?seed=1', '?v=1&environment=repair', '?at=3:rule=grpo-or'].map(asksForRun)).toEqual([true, true, true]);
  });
});
