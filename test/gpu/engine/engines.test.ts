import { test } from 'vitest';
import { SEARCH_WORLDS } from '../../../src/environments/search/index.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { expectSameFirstUpdate } from './firstUpdate.ts';

const [{ settings, controls }] = SEARCH_WORLDS;

test.each<[string, ParameterValues]>([
  ['a turn rule', { rule: 'mt-grpo' }],
  ['advantages normalised over the batch', { rule: 'reinforce-plus-plus' }],
  ['one ratio per turn and an entropy bonus', { rule: 'grpo-or', ratio: 'turn', entropyCoef: 0.01 }],
  ['top-p, top-k and temperature', { rule: 'rloo', temperature: 1.3, topP: 0.9, topK: 20 }],
  ['a critic with a value per token', { rule: 'mt-ppo', criticUpdates: 0 }],
  ['a critic with a value per turn', { rule: 'turn-ppo', criticUpdates: 0 }],
])('the exact engine and WGSL compute the same first update: %s', (_, changed) =>
  expectSameFirstUpdate('search', { settings, controls: { ...controls, ...changed } }),
);
