import { describe, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import { ENVIRONMENT_LIST } from '../../../src/environments/registry.ts';
import { casesOf, comparedRule } from '../../../src/environments/watchedTurns.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';

const watched = ENVIRONMENT_LIST.flatMap((environment) =>
  environment.watchedTurns ? [{ ...environment, watchedTurns: environment.watchedTurns }] : [],
);

describe('the information that environments report about their turns', () => {
  test('has names that no other environment uses, so that a file says whose it is', () => {
    const names = watched.flatMap(({ watchedTurns }) => [
      ...casesOf(watchedTurns).map(({ name }) => name),
      ...(watchedTurns.mark ? [watchedTurns.mark.name] : []),
    ]);
    expect(watched.map(({ name }) => name)).toEqual(['search', 'repair', 'repo']);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-zA-Z]*$/.test(name))).toEqual([]);
  });

  test('ends in a case that always holds, so that no turn is left out', () => {
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
  )('in %s the rollouts for %s can be read by the rule that it is compared with', (_, name, environment) => {
    const [rule, compared] = [findRule(name), findRule(comparedRule(environment, name))];
    expect(compared.name).not.toBe(rule.name);
    expect(OFFERED[environment.name]).toContain(compared.name);
    // A critic's values are there under its own rules alone.
    expect(compared.unit).toBe('turn');
    // A rule of trajectories reads a tree path by path, and so needs the outcomes at the ends of the paths.
    if (rule.input === 'forest' && compared.input === 'trajectories') {
      expect(rule.reads).toEqual(expect.arrayContaining([...compared.reads]));
    }
  });
});
