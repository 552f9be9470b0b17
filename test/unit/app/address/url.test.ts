import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultConfiguration, tablesFor } from '../../../../src/app/address/pageTables.ts';
import { DEFAULT_VIEW, readUrl, type View, writeUrl } from '../../../../src/app/address/url.ts';
import { PANELS } from '../../../../src/app/address/viewAddress.ts';
import type { Parameter, ParameterValue } from '../../../../src/parameters/parameters.ts';
import {
  ENVIRONMENT_NAMES,
  type EnvironmentName,
  EXACT,
  type RunConfiguration,
  WGSL,
} from '../../../../src/training/data/configuration.ts';
import { applyWorld, openingRun, PRESETS, presetRun, worldsOf } from '../../../../src/training/data/worlds.ts';

const base = defaultConfiguration();
const read = readUrl;
const write = (configuration: RunConfiguration, view: View = DEFAULT_VIEW) => writeUrl(configuration, view);

function anyValue(parameter: Parameter): fc.Arbitrary<ParameterValue> {
  if (parameter.kind === 'choice') return fc.constantFrom(...parameter.options);
  if (parameter.kind === 'boolean') return fc.constantFrom('true', 'false');
  if (parameter.kind === 'list') {
    const numbers = fc.array(fc.integer({ min: 1, max: parameter.max }), { maxLength: parameter.maximum });
    return numbers.map((list) => list.join('/'));
  }
  const { min, max } = parameter;
  return parameter.integer ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true }).map((value) => value + 0);
}

/** Returns an arbitrary of new values for any subset of a table's parameters. */
function valuesOf(table: readonly Parameter[]): fc.Arbitrary<Record<string, ParameterValue>> {
  const all = Object.fromEntries(table.map((parameter) => [parameter.name, anyValue(parameter)]));
  return fc.record(all, { requiredKeys: [] }) as fc.Arbitrary<Record<string, ParameterValue>>;
}

function configurationsOf(environment: EnvironmentName): fc.Arbitrary<RunConfiguration> {
  const tables = tablesFor(environment);
  const usual = defaultConfiguration(environment);
  const changes = valuesOf(tables.controls).filter((some) => Object.keys(some).length > 0);
  const schedules = fc.uniqueArray(fc.record({ step: fc.integer({ min: 0, max: 5000 }), changes }), {
    maxLength: 5,
    selector: ({ step }) => step,
  });
  return fc
    .record({
      settings: valuesOf(tables.settings),
      controls: valuesOf(tables.controls),
      seed: fc.integer({ min: 0, max: 0xffffffff }),
      engine: fc.option(fc.constantFrom(WGSL, EXACT, 'exact/12' as const), { nil: undefined }),
      schedule: schedules.map((schedule) => schedule.sort((a, b) => a.step - b.step)),
    })
    .map(({ settings, controls, seed, engine, schedule }) => ({
      ...usual,
      ...(engine && { engine }),
      settings: { ...usual.settings, ...settings },
      controls: { ...usual.controls, ...controls },
      seed,
      schedule,
    }));
}

const configurations = fc.oneof(...ENVIRONMENT_NAMES.map(configurationsOf));

const views: fc.Arbitrary<View> = fc.record({
  embed: fc.boolean(),
  panels: fc.subarray([...PANELS]),
});

describe('parameter tables', () => {
  test.each(ENVIRONMENT_NAMES)('parameter names of %s are unique and differ from page keys', (environment) => {
    const tables = tablesFor(environment);
    const names = [...tables.settings, ...tables.controls].map(({ name }) => name);
    const all = [...names, 'v', 'environment', 'world', 'seed', 'at', 'runs', 'engine', 'embed', 'panels'];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('a link', () => {
  test('a link restores every configuration and view without a notice', () => {
    const roundTrip = fc.property(configurations, views, (configuration, view) => {
      expect(read(write(configuration, view))).toEqual({ configuration, additionalRuns: [], view, notices: [] });
    });
    fc.assert(roundTrip, { numRuns: 200 });
  });

  test('a link restores additional runs with the environment settings of the first run', () => {
    const several = fc.oneof(
      ...ENVIRONMENT_NAMES.map((environment) =>
        fc.array(configurationsOf(environment), { minLength: 2, maxLength: 4 }),
      ),
    );
    const roundTrip = fc.property(several, views, ([first, ...more], view) => {
      const configuration = first as RunConfiguration;
      const engine = (run: RunConfiguration) => run.engine ?? configuration.engine;
      const additionalRuns = more.map((run) => ({ ...run, settings: configuration.settings, engine: engine(run) }));
      expect(read(writeUrl(configuration, view, additionalRuns))).toEqual({
        configuration,
        additionalRuns,
        view,
        notices: [],
      });
    });
    fc.assert(roundTrip, { numRuns: 100 });
  });

  test('a link stores additional runs as readable differences from the first run', () => {
    const fork = { ...base, schedule: [{ step: 40, changes: { rule: 'grpo-or' } }] };
    const seeded = { ...base, seed: 2, controls: { ...base.controls, rule: 'grpo-mr' } };
    const link = writeUrl(base, DEFAULT_VIEW, [fork, seeded, base]);
    expect(link).toBe('?v=1&rule=mt-grpo&seed=1&runs=at=40:rule=grpo-or%7Crule=grpo-mr%26seed=2%7C');
    expect(read(link).additionalRuns).toEqual([fork, seeded, base]);
  });

  test('a link with the short name of the exact engine is read, and an unknown engine is reported', () => {
    const [exact, unknown, lanes] = ['engine=exact', 'engine=cuda', 'engine=wgsl&runs=engine=exact|engine=cuda'].map(
      (query) => read(`?v=1&${query}`),
    );
    expect([exact.configuration.engine, exact.notices]).toEqual([EXACT, []]);
    expect(write(exact.configuration)).toBe('?v=1&rule=mt-grpo&seed=1&engine=exact/1');
    expect('engine' in unknown.configuration).toBe(false);
    expect(unknown.notices).toEqual([expect.stringContaining('engine: “cuda” is unknown')]);
    expect(lanes.additionalRuns.map(({ engine }) => engine)).toEqual([EXACT, WGSL]);
    expect(lanes.notices).toEqual([expect.stringContaining('runs: engine: “cuda” is unknown')]);
  });

  test('a link with too many runs or an unknown key of a run is read with a notice', () => {
    const { additionalRuns, notices } = read('?v=1&seed=1&runs=seed=2|seed=3|seed=4|seed=5');
    expect([additionalRuns.map(({ seed }) => seed), notices]).toEqual([
      [2, 3, 4],
      [expect.stringContaining('a page trains 4 runs at a time')],
    ]);
    const odd = read('?v=1&runs=color=red&rule=ppo');
    expect(odd.notices).toEqual([expect.stringContaining('rule'), expect.stringContaining('“runs: color” is unknown')]);
    expect(odd.additionalRuns).toEqual([odd.configuration]);
  });

  test('if an additional run has too many schedule entries, the first notice of the link reports it', () => {
    const at = (count: number) => Array.from({ length: count }, (_, step) => `${step}:klCoef=0.1`).join(';');
    const { additionalRuns, notices } = read(`?v=1&color=red&runs=at=${at(201)}|at=${at(200)}|at=${at(300)}`);
    expect(additionalRuns.map(({ schedule }) => schedule.length)).toEqual([200, 200, 200]);
    expect(notices).toEqual(['runs: at: only the first 200 entries were read.', expect.stringContaining('color')]);
  });

  test('a link stores only values that differ from the defaults', () => {
    expect(write(base)).toBe('?v=1&rule=mt-grpo&seed=1');
    const changed = { ...base, seed: 7, controls: { ...base.controls, rule: 'grpo-or', klCoef: 0.05 } };
    expect(write(changed)).toBe('?v=1&rule=grpo-or&seed=7&klCoef=0.05');
  });

  test('a link stores the schedule of a run in readable form', () => {
    const schedule = [
      { step: 60, changes: { rule: 'grpo-or', klCoef: 0.05 } },
      { step: 90, changes: { rule: 'mt-grpo' } },
    ];
    const link = write({ ...base, schedule });
    expect(link).toBe('?v=1&rule=mt-grpo&seed=1&at=60:rule=grpo-or,klCoef=0.05;90:rule=mt-grpo');
    expect(read(link).configuration.schedule).toEqual(schedule);
    expect(read('?at=90:rule=mt-grpo&at=60:rule=grpo-or,klCoef=0.05').configuration.schedule).toEqual(schedule);
  });

  test('a link without entries has the default configuration', () => {
    expect(read('')).toEqual({
      configuration: { ...openingRun('search'), seed: 4 },
      additionalRuns: [],
      view: DEFAULT_VIEW,
      notices: [],
    });
  });

  test('a link stores the name of a known world and the differences from its configuration', () => {
    const [shortcut] = worldsOf('search');
    if (!shortcut) throw new Error('the world is missing');
    const configuration = applyWorld(shortcut, base);
    expect(write(configuration)).toBe('?v=1&world=shortcut&rule=mt-grpo&seed=1');
    expect(read('?v=1&world=shortcut&rule=mt-grpo&seed=1').configuration).toEqual(configuration);
    const plain = { ...configuration, controls: { ...configuration.controls, learningRate: 1e-4 } };
    expect(write(plain)).toBe('?v=1&world=shortcut&rule=mt-grpo&seed=1&learningRate=0.0001');
    const fresher = { ...configuration, settings: { ...configuration.settings, stale: 0.1 } };
    expect(write(fresher)).toContain(
      'knownShare=1&known=asked&stale=0.1&learningRate=0.0003&klCoef=0.02&heldOutMode=on',
    );
    for (const candidate of [configuration, plain, fresher])
      expect(read(write(candidate)).configuration).toEqual(candidate);
  });

  test.each([
    ['?v=1&world=nowhere', ['“world”: “nowhere” is unknown (known: shortcut, open).']],
    ['?environment=repair&world=open', ['“world” is unknown and was ignored.']],
    ['?environment=bandit&world=open', ['“world”: “open” is unknown (known: two-turns, delayed, recovery, stopping).']],
  ])('the link %s opens the default run of its environment, with a notice on the world', (link, notices) => {
    const reading = read(link);
    expect(reading.configuration).toEqual(openingRun(reading.configuration.environment));
    expect(reading.notices).toEqual(notices);
  });

  test.each(['?v=1', '?v=1&rule=mt-grpo&seed=1', '?world=open'])(
    'the link %s without a named world, or with the open world, opens the open world',
    (link) => {
      expect(read(link)).toEqual({ configuration: base, additionalRuns: [], view: DEFAULT_VIEW, notices: [] });
    },
  );

  test.each(PRESETS)('a link restores the preset $name', (preset) => {
    const configuration = presetRun(preset);
    expect(read(write(configuration))).toEqual({ configuration, additionalRuns: [], view: DEFAULT_VIEW, notices: [] });
  });
});

describe('a broken or foreign link', () => {
  test('a link of another version is ignored completely, with a notice', () => {
    const { configuration, notices } = read('?v=9&rule=grpo-or&seed=5');
    expect(configuration).toEqual(openingRun('search'));
    expect(notices).toEqual([expect.stringContaining('version “9”')]);
  });

  test.each([
    ['?utm_source=mail', 'utm_source'],
    ['?rule=ppo-9', 'rule: “ppo-9” is not one of'],
    ['?learningRate=fast', 'learningRate: “fast” is not a number from 0 to 0.01; 0.0001 is used'],
    ['?klCoef=7', 'klCoef: “7” is not a number from 0 to 1; 1 is used'],
    ['?groupSize=8.5', 'groupSize: “8.5” is not a whole number from 2 to 16'],
    ['?seed=', 'seed: “” is not a whole number'],
    ['?seed=-4', 'seed: “-4”'],
    ['?panels=chart,cellar', '“cellar”'],
    ['?at=soon:rule=grpo-or', '“soon:rule=grpo-or”'],
    ['?at=60', '“60”'],
    ['?at=60:color=red', '“color” is not a control'],
    ['?at=60:klCoef=7', 'at 60: klCoef: “7”'],
    ['?at=60:knownShare=1', '“knownShare” is not a control'],
    ['?seed=1&seed=2', '“seed” is given twice'],
    ['?environment=chess', '“environment”: “chess” is unknown (known: search, repair, repo, bandit)'],
    ['?environment=repair&alpha=0.5', '“alpha”'],
    ['?v=1&recorded=1', '“recorded”'],
    ['?__proto__=1', '“__proto__”'],
    ['?constructor=1', '“constructor”'],
  ])('the invalid part of the link %s is reported in one notice', (search, text) => {
    const { notices, configuration } = read(search);
    expect(notices).toEqual([expect.stringContaining(text)]);
    expect(Object.getPrototypeOf(configuration.controls)).toBe(Object.prototype);
  });

  test('any text is read without an exception as a configuration that survives a round trip', () => {
    const names = ENVIRONMENT_NAMES.flatMap((environment) => tablesFor(environment).controls.map(({ name }) => name));
    const keys = ['v', 'environment', 'rule', 'seed', 'at', 'panels', 'embed', ...names];
    const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...keys), fc.string()), fc.string()), { maxLength: 8 });
    const survives = fc.property(fc.oneof(fc.string(), pairs.map(query)), (search) => {
      const { configuration, view } = read(search);
      expect(read(write(configuration, view))).toEqual({ configuration, additionalRuns: [], view, notices: [] });
    });
    fc.assert(survives, { numRuns: 300 });
  });

  test('the schedule of a link with 300 entries is cut to 200 entries, with a notice', () => {
    const entries = Array.from({ length: 300 }, (_, step) => `${step}:klCoef=0.1`).join(';');
    const { configuration, notices } = read(`?at=${entries}`);
    expect(configuration.schedule).toHaveLength(200);
    expect(notices).toEqual([expect.stringContaining('first 200')]);
  });
});

function query(pairs: [string, string][]): string {
  return new URLSearchParams(pairs).toString();
}
