import { describe, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import { ENVIRONMENT_LIST } from '../../../src/environments/registry.ts';
import { casesOf, comparedRule } from '../../../src/environments/watchedTurns.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';

const watched = ENVIRONMENT_LIST.flatMap((environment) =>
  environment.watchedTurns ? [{ ...environment, watchedTurns: environment.watchedTurns }] : [],
);

describe('watched turns of the environments', () => {
  test('names of watched cases differ between environments, so that a file identifies its environment', () => {
    const names = watched.flatMap(({ watchedTurns }) => [
      ...casesOf(watchedTurns).map(({ name }) => name),
      ...(watchedTurns.mark ? [watchedTurns.mark.name] : []),
    ]);
    expect(watched.map(({ name }) => name)).toEqual(['search', 'repair', 'repo']);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-zA-Z]*$/.test(name))).toEqual([]);
  });

  test('the last case of the watched turns applies to each turn', () => {
    const turn = { facts: {}, reward: 0, components: {}, summary: '', forestTurn: 0 };
    for (const { watchedTurns } of watched) {
      expect(
        casesOf(watchedTurns)
          .at(-1)
          ?.holds({ turn, before: [turn], after: [], group: [turn] }),
      ).toBe(true);
    }
  });

  test.each(
    watched.flatMap((environment) =>
      OFFERED[environment.name].map((rule) => [environment.name, rule, environment] as const),
    ),
  )('in %s, the rollouts of %s are readable by the rule that is compared with it', (_, name, environment) => {
    const [rule, compared] = [findRule(name), findRule(comparedRule(environment, name))];
    expect(compared.name).not.toBe(rule.name);
    expect(OFFERED[environment.name]).toContain(compared.name);
    // Critic values exist only under rules with a critic.
    expect(compared.unit).toBe('turn');
    // A rule of trajectories reads each path of a tree, so it requires the outcomes at the ends of the paths.
    if (rule.input === 'forest' && compared.input === 'trajectories') {
      expect(rule.reads).toEqual(expect.arrayContaining([...compared.reads]));
    }
  });
});
