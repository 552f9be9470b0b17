import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import { createSearchEnvironment } from '../../../../../src/environments/search/open.ts';
import { SEARCH_CODES, spell } from '../../../../../src/environments/search/vocabulary.ts';
import { defaults } from '../../../../../src/parameters/parameters.ts';
import type { Group, Turn } from '../../../../../src/rollouts/forest.ts';
import { anyWalks, walks } from '../../../../statefulGroups.ts';
import { expectClose } from '../../../../vectorFile.ts';

// Properties of all rules that compare discounted returns.

describe.each(['rtmc', 'grpo-step', 'gigpo'].map((name) => [name, findRule(name)] as const))('%s', (_, rule) => {
  const credit = (group: Group) => rule.credit(group, defaults(rule.parameters)).advantage;

  test('a missing outcome counts as 0', () => {
    const steps = [{ state: 's', action: 'a', reward: 0.5 }];
    const second = { steps: [{ state: 's', action: 'b', reward: 0.1 }], outcome: 0.3 };
    expect(credit(walks([{ steps }, second]))).toEqual(credit(walks([{ steps, outcome: 0 }, second])));
  });

  test('credit does not depend on the names of states and actions', () => {
    fc.assert(
      fc.property(anyWalks, (generated) => {
        const renamed = (name: string) => `${name.length}:${[...name].reverse().join('')}`;
        const mapped = generated.map((walk) => ({
          ...walk,
          steps: walk.steps.map((step) => ({ ...step, state: renamed(step.state), action: renamed(step.action) })),
        }));
        expectClose(credit(walks(mapped)), credit(walks(generated)), 1e-12);
      }),
    );
  });

  test('credit does not change if turns of several rollouts are interleaved', () => {
    const [a1, a2, b1, b2] = walks([
      { steps: ['s', 't'].map((state, i) => ({ state, action: 'a', reward: i })), outcome: 1 },
      { steps: ['s', 't'].map((state, i) => ({ state, action: 'b', reward: -i })), outcome: 0 },
    ]).turns;
    const [A1, A2, B1, B2] = credit({ id: 'g', turns: [a1, a2, b1, b2] });
    const between = { id: 'g', turns: [a1, b1, { ...b2, parent: 1 }, { ...a2, parent: 0 }] };
    expectClose(credit(between), [A1, B1, B2, A2], 1e-12);
  });

  test('in Search, a search has more credit than a skip, and a right answer more than a wrong answer', () => {
    const environment = createSearchEnvironment();
    const task = environment.world.tasks[17 * 8 + 3];
    const read = (text: string) => text.split(' ').map((name) => SEARCH_CODES.indexOf(name));
    const turns: Turn[] = [];
    for (const first of ['<think> </think> <search> r3 e17 </search>', '<think> w1 </think> <end>']) {
      for (const answer of [spell([task.answer]), 'v0', 'v1', 'v2']) {
        const episode = environment.begin(task, defaults(environment.controls));
        for (const written of [first, `<think> </think> <answer> ${answer} </answer>`]) {
          const { reward, outcome, solved, state, action } = episode.act(read(written));
          const end = outcome === undefined ? {} : { outcome, solved };
          turns.push({ parent: turns.length % 2 === 0 ? -1 : turns.length - 1, reward, state, action, ...end } as Turn);
        }
      }
    }
    const advantage = credit({ id: 'search', turns });
    expect(advantage[0]).toBeGreaterThan(advantage[8]); // Search and skip.
    expect(advantage[1]).toBeGreaterThan(advantage[3]); // Right and wrong answer.
  });
});
