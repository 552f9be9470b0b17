import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSearchEnvironment } from '../../../../src/environments/search/open.ts';
import { SEARCH_SETTINGS } from '../../../../src/environments/search/searchSettings.ts';
import { SEARCH_VOCABULARY, spell, VOCABULARY_SIZE } from '../../../../src/environments/search/vocabulary.ts';
import { defaults, ParameterError } from '../../../../src/parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';

const environment = createSearchEnvironment();

it('the Search environment has the context, turn limits and tokens of the specification', () => {
  expect(environment.context).toBe(36);
  expect([0, 1].map((turn) => environment.turnLimit(turn))).toEqual([10, 9]);
  expect(spell(environment.stopTokens)).toBe('</search> </answer> <end>');
  expect(spell(Object.values(environment.decisionTokens))).toBe('<search> <end> <answer>');
  expect(environment.vocabulary).toBe(SEARCH_VOCABULARY);
  // 4 + 2 (10 + 9) + 9 = 51 and 4 + 3 (10 + 9) + 9 = 70, up to a multiple of 4
  expect([3, 4].map((maxTurns) => createSearchEnvironment({ maxTurns }).context)).toEqual([52, 72]);
  // 4 + 4 (10 + 9) + 9 = 89 and 4 + 5 (10 + 9) + 9 = 108
  expect([5, 6].map((maxTurns) => createSearchEnvironment({ maxTurns }).context)).toEqual([92, 108]);
});

describe('settings of Search', () => {
  it('settings of Search have the defaults of their table', () => {
    expect(environment.settings).toEqual(defaults(SEARCH_SETTINGS));
    expect(createSearchEnvironment({ knownShare: '1' }).settings.knownShare).toBe(1); // from a URL
  });

  it.each([{ maxTurns: 7 }, { maxTurns: 2.5 }, { knownShare: 1.1 }, { worldSeed: -1 }, { unknown: 1 }])(
    'the settings %o of Search throw an error',
    (values) => {
      expect(() => createSearchEnvironment(values as Record<string, number>)).toThrow(ParameterError);
    },
  );
});

describe('tasks of Search', () => {
  const draw = (step: number, split: 'train' | 'held-out', count = 64) =>
    environment.sampleTasks(new CounterRandom(5, STREAMS.tasks, step), count, split);

  it('sampled tasks depend only on the key', () => {
    expect(draw(3, 'train')).toEqual(draw(3, 'train'));
    expect(draw(3, 'train')).not.toEqual(draw(4, 'train'));
  });

  it('sampled tasks belong to their split and cover it', () => {
    const train = new Set(draw(0, 'train', 4000).map((task) => task.fact));
    const heldOut = new Set(draw(0, 'held-out', 4000).map((task) => task.fact));
    expect(train).toEqual(new Set(environment.world.train));
    expect(heldOut).toEqual(new Set(environment.world.heldOut));
  });

  it('the prompt of a task contains relation and entity', () => {
    expect(spell(environment.prompt(environment.world.tasks[17 * 8 + 3]))).toBe('<q> r3 e17 </q>');
  });
});

it('the Search environment keeps its invariants for any output of the policy', () => {
  const environments = [2, 3, 4].map((maxTurns) => createSearchEnvironment({ maxTurns }));
  const token = fc.oneof(fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: VOCABULARY_SIZE - 1 }));
  const turns = fc.array(fc.array(token, { minLength: 10, maxLength: 10 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.constantFrom(...environments), fc.nat(383), turns, (env, fact, written) => {
      const task = env.world.tasks[fact];
      const episode = env.begin(task, {});
      let length = env.prompt(task).length;
      for (let turn = 0; turn < env.maxTurns; turn++) {
        // As in sampling, a turn ends at the first stop token or at the turn limit.
        const limit = written[turn].slice(0, env.turnLimit(turn));
        const stop = limit.findIndex((candidate) => env.stopTokens.includes(candidate));
        const tokens = stop < 0 ? limit : limit.slice(0, stop + 1);
        const result = episode.act(tokens);
        const sum = Object.values(result.components).reduce((a, b) => a + b, 0);
        length += tokens.length + (result.reply?.length ?? 0);
        expect(result.outcome ?? result.reward).toBe(sum);
        expect(result.outcome === undefined).toBe(result.reply !== undefined);
        expect(result.summary).not.toBe('');
        if (turn === env.maxTurns - 1) expect(result.outcome).toBeDefined();
        if (result.outcome !== undefined) break;
      }
      expect(length).toBeLessThanOrEqual(env.context);
    }),
    { numRuns: 500, seed: 2 },
  );
});
