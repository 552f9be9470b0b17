import { describe, expect, test } from 'vitest';
import { GROUPS, type MetricRow } from '../../../src/metrics/metric.ts';
import {
  csvColumns,
  csvMetric,
  csvReader,
  findMetric,
  METRICS,
  metricsOfGroup,
  TABLES,
} from '../../../src/metrics/metricTable.ts';
import { metricsOf } from '../app/appFixtures.ts';

const rows: readonly MetricRow[] = METRICS;

describe('the table of metrics', () => {
  test('the names and the CSV columns of all metrics are unique', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    const prefixes = rows.flatMap(({ column }) => column ?? []);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test('exactly the nullable metrics have a description of their missing values', () => {
    const nullable = rows.filter(({ kind }) => kind === 'nullable').map(({ name }) => name);
    expect(rows.filter(({ missing }) => missing !== undefined).map(({ name }) => name)).toEqual(nullable);
  });

  test('exactly the metrics with a table of numbers have a CSV column per number', () => {
    const scalar = ['text', 'integer', 'number', 'nullable'];
    expect(TABLES.map(({ name }) => name)).toEqual(
      rows.filter(({ kind }) => !scalar.includes(kind)).map(({ name }) => name),
    );
    expect(TABLES.map(({ name, column }) => [name, column])).toEqual([
      ['components', 'component'],
      ['facts', 'fact'],
      ['heldOut', 'heldOut'],
      ['decision', 'decision'],
    ]);
  });

  test('every metric group has metrics, and findMetric needs the exact name', () => {
    for (const group of Object.keys(GROUPS) as (keyof typeof GROUPS)[]) {
      expect(metricsOfGroup(group).length, group).toBeGreaterThan(0);
    }
    expect(findMetric('toolUse')).toMatchObject({ group: 'search', label: 'Tool use' });
    expect(findMetric('tooluse')).toBeUndefined();
  });
});

describe('columns of CSV files', () => {
  test('csvReader returns the value of a column, or undefined if the update has no such value', () => {
    const row = metricsOf(3, { facts: { solved: 0.5 }, heldOut: null });
    expect(csvReader('step')(row)).toBe(3);
    expect(csvReader('component:right')(row)).toBe(0.2);
    expect(csvReader('fact:solved')(row)).toBe(0.5);
    expect(csvReader('fact:tested')(row)).toBeUndefined();
    expect(csvReader('heldOut:solved')(row)).toBeUndefined();
    expect(csvReader('of a newer version')(row)).toBeUndefined();
  });

  test('csvMetric returns the metric and the part of a column, and no metric for an unknown column', () => {
    expect(csvMetric('loss').metric?.unit).toBe('loss');
    expect(csvMetric('fact:solved')).toMatchObject({ metric: { name: 'facts' }, part: 'solved' });
    expect(csvMetric('maze:solved').metric).toBeUndefined();
    expect(csvMetric('maze').metric).toBeUndefined();
  });

  test('csvColumns returns the columns of all updates, without columns for whole tables', () => {
    const metrics = [metricsOf(0), metricsOf(1, { heldOut: { answer: 1 } })];
    expect(csvColumns(metrics)).toContain('heldOut:answer');
    expect(csvColumns(metrics)).not.toContain('heldOut');
  });
});
