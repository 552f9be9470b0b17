import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { glossaryStrings } from '../../../src/app/strings/glossaryStrings.ts';
import { RULES } from '../../../src/credit/rules.ts';
import {
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_LIST,
  ENVIRONMENT_NAMES,
  ENVIRONMENTS,
} from '../../../src/environments/registry.ts';
import { METRICS } from '../../../src/metrics/metricTable.ts';
import { defaults } from '../../../src/parameters/parameters.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import { loadEnvironment, openEnvironment } from '../../../src/training/run/openEnvironment.ts';
import { root } from '../../files.ts';

test('each environment has a folder of its name, and each such folder is listed', () => {
  const folder = join(root, 'src/environments');
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'index.ts')));
  expect(names.sort()).toEqual([...ENVIRONMENT_NAMES].sort());
  expect(DEFAULT_ENVIRONMENT).toBe('search');
});

test('names of presets are unique among all environments', () => {
  const names = ENVIRONMENT_LIST.flatMap(({ presets }) => presets.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});

test('the description of a preset fits a line of 1,280 pixels', () => {
  const long = ENVIRONMENT_LIST.flatMap(({ presets }) => presets.filter(({ shows }) => shows.length > 160));
  expect(long.map(({ name, shows }) => `${name}: ${shows}`)).toEqual([]);
});

describe.each(ENVIRONMENT_LIST)('$name', (environment) => {
  test('an environment has a reference page', () => {
    expect(existsSync(join(root, `docs/reference/${environment.name}.md`))).toBe(true);
  });

  test('an environment refers only to existing rules, glossary terms, metrics and facts', () => {
    const offered = OFFERED[environment.name];
    expect(offered[0]).toBe(environment.pinned[0]);
    for (const name of [...environment.pinned, ...environment.singleTurn]) expect(offered).toContain(name);
    const rules = RULES.map(({ name }) => name);
    for (const name of environment.unsuitable ?? []) {
      expect(rules).toContain(name);
      expect(offered).not.toContain(name);
    }
    const glossary = Object.keys(glossaryStrings.meanings);
    for (const term of Object.values(environment.terms).flat()) expect(glossary).toContain(term);
    const { facts, heldOut, charts } = environment;
    const known = [
      ...METRICS.map(({ name }) => name),
      ...facts.map(({ name }) => `fact:${name}`),
      ...heldOut.map(({ name }) => `heldOut:${name}`),
    ];
    const lines = [charts.main, ...charts.small].flatMap((chart) => chart.lines);
    const kinds = (environment.watchedTurns?.kinds ?? []).flatMap(({ cases }) => cases.map(({ name }) => name));
    for (const line of lines) {
      const key = typeof line === 'string' ? line : line.key;
      const shares = /^turns:(.+)$/.exec(key)?.[1];
      if (shares === undefined) expect(known).toContain(key);
      else for (const kind of shares.split(/[+/]/)) expect(kinds).toContain(kind);
    }
  });

  test('the module of an environment creates it with its name, reward controls and warm start', async () => {
    const loaded = await loadEnvironment(environment.name);
    const settings = defaults(environment.settings);
    const data = await loaded.load(settings);
    const opened = await loaded.create(settings, data, {
      execute: () => Promise.reject(new Error('nothing runs here')),
    });
    expect(opened.name).toBe(environment.name);
    expect(opened.controls).toEqual(environment.rewards);
    expect(opened.warmStart.length > 0).toBe(environment.warmStart !== 'none');
  });
});

test('a task file throws an error in an environment that reads no tasks', async () => {
  const customTasks = { file: 'mine.jsonl', text: '' };
  const open = openEnvironment(
    { environment: 'bandit', settings: defaults(ENVIRONMENTS.bandit.settings) },
    {},
    customTasks,
  );
  await expect(open).rejects.toThrow('mine.jsonl: the bandit environment reads no tasks');
});
