import { describe, expect, test } from 'vitest';
import { usedRewards } from '../../../../src/app/controls/controlsPanel.ts';
import { rewardNotes, truthNote } from '../../../../src/environments/notes.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';

const ALL = { turns: true, outcome: true };

test('outcome-only rules ignore turn rewards, and turn-level rules use them', () => {
  const names = ['grpo-or', 'rloo', 'dr-grpo', 'ppo-or'];
  const usesTurnRewards = (name: string) => usedRewards(name).turns;
  expect(names.filter(usesTurnRewards)).toEqual([]);
  const dependent = ['mt-grpo', 'grpo-mr', 'mt-ppo', 'grpo-step', 'rtmc'];
  expect(dependent.filter(usesTurnRewards)).toEqual(dependent);
});

describe('notes on rewards of the Search environment', () => {
  const { controls, settings } = defaultConfiguration('search');
  const inactive = (changes: object, turns: boolean, maxTurns = 2) =>
    Object.entries(rewardNotes('search', { ...controls, ...changes }, { ...settings, maxTurns }, { ...ALL, turns }))
      .flatMap(([name, note]) => (note.isInactive ? name : []))
      .sort();
  const JUDGE = ['judgeBias', 'judgeNoise'];
  const TURNS = ['rewardExecuted', 'rewardFormat', 'rewardRetrieved', 'rewardSkip', 'searchCost', 'turnReward'];

  test('reward notes mark the rewards that have no effect under the active rule and reward source', () => {
    expect(inactive({}, true)).toEqual(JUDGE);
    expect(inactive({ turnReward: 'unreliable' }, true)).toEqual([]);
    expect(inactive({}, false)).toEqual([...JUDGE, ...TURNS].sort());
    expect(inactive({ turnReward: 'unreliable' }, false)).toEqual([...JUDGE, ...TURNS].sort());
  });

  test('the note on the search cost names a preset that shows its effect if the run allows one search', () => {
    const note = (maxTurns: number) => rewardNotes('search', controls, { ...settings, maxTurns }, ALL).searchCost;
    expect([note(2)?.preset, note(4)]).toEqual(['over-searching', undefined]);
    expect(ENVIRONMENTS.search.presets.some(({ name }) => name === 'over-searching')).toBe(true);
  });
});

test('the note on true advantages of Search warns of rewarded memory only if the agent has memorized facts', () => {
  expect(truthNote('search', { knownShare: 1 })).toMatch(/It favours memory/);
  expect(truthNote('search', { knownShare: 0 })).not.toMatch(/memory/);
  expect([truthNote('repo', {}), rewardNotes('repo', {}, {}, ALL)]).toEqual([undefined, {}]);
});

test.each([
  ['repair', 'grpo-mt', ['turnReward']],
  ['repair', 'murphy-mars', ['outcomeReward']],
  ['repair', 'verpo', ['turnReward', 'outcomeReward']],
  ['repair', 'turn-credit', []],
  ['repo', 'grpo-or', ['rewardValid', 'rewardInvalid', 'potential']],
  ['repo', 'rtmc', []],
  ['bandit', 'grpo-or', ['rewardBait', 'rewardKey']],
  ['bandit', 'mt-grpo', []],
] as const)('in %s under %s, notes mark the rewards that the rule ignores', (environment, rule, marked) => {
  const { controls, settings } = defaultConfiguration(environment);
  const rewards = ENVIRONMENTS[environment].rewards.map(({ name }) => name);
  const names = Object.keys(rewardNotes(environment, controls, settings, usedRewards(rule)));
  expect(names).toEqual(marked);
  expect(rewards).toEqual(expect.arrayContaining(names));
});
