import { describe, expect, test } from 'vitest';
import { readArm } from '../../../src/cli/commands/compare.ts';
import {
  type Claim,
  type Experiment,
  PAPERS,
  type PairedTest,
  type RunValue,
  type Side,
} from '../../../src/environments/claim.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../../../src/environments/registry.ts';
import { fits } from '../../../src/experiments/claims/outcome.ts';
import { ALL_CLAIMS, findClaims, PAPER_CLAIMS, PROJECT_CLAIMS } from '../../../src/experiments/claims/readClaims.ts';
import { COMPARED } from '../../../src/experiments/compare/comparedEnvironments.ts';
import { METRICS } from '../../../src/metrics/metricTable.ts';
import { parseParameters } from '../../../src/parameters/parameters.ts';
import { tablesOf } from '../../../src/training/data/configurationTables.ts';
import { findWorld, worldsOf } from '../../../src/training/data/worlds.ts';

const each = ALL_CLAIMS.flatMap((claim) =>
  claim.experiments.map((experiment) => [`${claim.id}, ${experiment.name}`, claim, experiment] as const),
);
const tables = ({ environment }: Experiment) => tablesOf(environment as EnvironmentName);
const armsOf = (experiment: Experiment) => experiment.arms.map((arm) => readArm(tables(experiment), arm));

describe('the claims', () => {
  test('claims of a paper have ascending numbers, and claims of the project have no paper', () => {
    for (const letter of Object.keys(PAPERS)) {
      const ids = PAPER_CLAIMS.filter(({ paper }) => paper === letter).map(({ id }) => id);
      expect(ids).not.toEqual([]);
      const numbers = ids.map((id) => Number(id.slice(1)));
      expect(ids).toEqual(numbers.map((number) => `${letter.toLowerCase()}${number}`));
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    }
    for (const { id, paper } of PROJECT_CLAIMS) expect([id.startsWith('own-'), paper]).toEqual([true, undefined]);
    expect(new Set(ALL_CLAIMS.map(({ id }) => id)).size).toBe(ALL_CLAIMS.length);
  });

  test.each(ALL_CLAIMS.map((claim) => [claim.id, claim] as const))(
    'claim %s has a statement and its location in the paper, and a reason if it has no experiment',
    (_, claim) => {
      for (const text of [claim.says, claim.place]) expect(text.length).toBeGreaterThan(1);
      expect(claim.says).toMatch(claim.paper ? /\.$/ : /[.?]$/);
      expect(claim.quote ?? 'short').toMatch(/^.{1,120}$/);
      if (claim.experiments.length === 0) expect(claim.missing).toMatch(/\.$/);
      const names = claim.experiments.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    },
  );

  test('findClaims selects claims by id, by paper, by "own" and by "all"', () => {
    const ids = (selector: string) => findClaims(selector).map(({ id }: Claim) => id);
    expect(ids('T3')).toEqual(['t3']);
    expect(ids('v')).toEqual(PAPER_CLAIMS.filter(({ paper }) => paper === 'V').map(({ id }) => id));
    expect(ids('own')).toEqual(PROJECT_CLAIMS.map(({ id }) => id));
    expect(ids('all')).toHaveLength(ALL_CLAIMS.length);
    expect(ids('x9')).toEqual([]);
  });
});

describe.each(each)('the experiment of %s', (_, claim, experiment) => {
  const { environment, world, settings = {}, controls = {}, seeds, worlds, steps, tests } = experiment;

  test('the experiment has an existing world, existing settings and existing controls', () => {
    const names = worldsOf(environment as EnvironmentName).map(({ name }) => name);
    expect(names.length === 0 ? world : findWorld(environment as EnvironmentName, world)?.name).toBe(world);
    const { settings: known, controls: all } = tables(experiment);
    expect(parseParameters(known, settings)).toMatchObject(settings);
    expect(parseParameters(all, controls)).toMatchObject(controls);
  });

  test('the measurements of the experiment exist and are in range', () => {
    const { measuring: known } = COMPARED[environment as EnvironmentName];
    for (const [name, value] of Object.entries(experiment.measuring ?? {})) {
      expect(Object.keys(known)).toContain(name);
      expect([value >= known[name].min, value <= known[name].max]).toEqual([true, true]);
    }
  });

  test('the experiment has arms in canonical form, at least 10 seeds and a separate world for each seed', () => {
    expect(armsOf(experiment).map(({ name }) => name)).toEqual(experiment.arms);
    expect([seeds >= 10, worlds >= seeds, steps > 0, tests.length > 0]).toEqual([true, true, true, true]);
  });

  test('the tests of the experiment compare existing arms on existing metrics, with a margin', () => {
    const arms = armsOf(experiment);
    const known = (of: Side | number) => typeof of === 'number' || arms.some((arm) => fits(arm, of));
    for (const claimTest of tests) {
      if (claimTest.kind === 'switch')
        expect([arms.map(({ name }) => name), experiment.switch]).toEqual([
          expect.arrayContaining([claimTest.from, claimTest.to]),
          expect.anything(),
        ]);
      if (claimTest.kind === 'seeds' || claimTest.kind === 'pooled')
        expect(arms.map(({ name }) => name)).toContain(claimTest.rule);
      if (claimTest.kind !== 'paired') continue;
      const { higher, lower, less, margin, hypothesis } = claimTest;
      const comparedExperiment = claim.experiments.find(({ name }) => name === (less?.in ?? experiment.name));
      if (!comparedExperiment) throw new Error(`${claimTest.statement}: the claim has no experiment "${less?.in}"`);
      // Runs are compared with runs of the same seeds, in the same worlds.
      expect([comparedExperiment.environment, comparedExperiment.worlds, comparedExperiment.seeds >= seeds]).toEqual([
        environment,
        worlds,
        true,
      ]);
      const there = armsOf(comparedExperiment);
      const subtracted = less ? [less.higher, less.lower] : [];
      const has = (side: Side | number) => typeof side === 'number' || there.some((arm) => fits(arm, side));
      const matches = [...[higher, lower].map(known), ...subtracted.map(has)];
      expect(matches, claimTest.statement).toEqual(matches.map(() => true));
      expect(
        margin > 0 || (hypothesis === 'more' && [higher, lower].some((side) => typeof side === 'number')),
        claimTest.statement,
      ).toBe(true);
      for (const name of curvesOf(claimTest)) expect(curveNames(experiment), claimTest.statement).toContain(name);
    }
  });
});

function curvesOf({ of, lowerOf }: PairedTest): string[] {
  const name = (value: RunValue) =>
    'mean' in value
      ? [value.mean]
      : 'end' in value
        ? [value.end]
        : 'start' in value
          ? [value.start]
          : 'curve' in value
            ? [value.curve]
            : [];
  return [...name(of), ...(lowerOf ? name(lowerOf) : [])];
}

function curveNames({ environment }: Experiment): string[] {
  const { facts } = ENVIRONMENTS[environment as EnvironmentName];
  return [...METRICS.map(({ name }) => name), ...facts.map(({ name }) => name)];
}
