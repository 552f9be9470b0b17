import { describe, expect, test } from 'vitest';
import { csvColumns, csvMetric, csvReader } from '../../../src/metrics/csvColumns.ts';
import { GROUPS, type MetricRow } from '../../../src/metrics/metric.ts';
import { findMetric, METRICS, metricsOfGroup, TABLES } from '../../../src/metrics/metricTable.ts';
import { metricsOf } from '../app/appFixtures.ts';

const rows: readonly MetricRow[] = METRICS;

describe('the table of metrics', () => {
  test('names every metric once, and every column of CSV files', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    const prefixes = rows.flatMap(({ column }) => column ?? []);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test('says when a metric is null where it can be, and nowhere else', () => {
    const nullable = rows.filter(({ kind }) => kind === 'nullable').map(({ name }) => name);
    expect(rows.filter(({ missing }) => missing !== undefined).map(({ name }) => name)).toEqual(nullable);
  });

  test('has every table of numbers, and no other metric, as separate columns', () => {
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

  test('has metrics in every group', () => {
    for (const group of Object.keys(GROUPS) as (keyof typeof GROUPS)[]) {
      expect(metricsOfGroup(group).length, group).toBeGreaterThan(0);
    }
    expect(findMetric('toolUse')).toMatchObject({ group: 'search', label: 'Tool use' });
    expect(findMetric('tooluse')).toBeUndefined();
  });
});

describe('columns of CSV files', () => {
  test('are read by their names', () => {
    const row = metricsOf(3, { facts: { solved: 0.5 }, heldOut: null });
    expect(csvReader('step')(row)).toBe(3);
    expect(csvReader('component:right')(row)).toBe(0.2);
    expect(csvReader('fact:solved')(row)).toBe(0.5);
    expect(csvReader('fact:tested')(row)).toBeUndefined();
    expect(csvReader('heldOut:solved')(row)).toBeUndefined();
    expect(csvReader('of a newer version')(row)).toBeUndefined();
  });

  test('belong to a metric', () => {
    expect(csvMetric('loss').metric?.unit).toBe('loss');
    expect(csvMetric('fact:solved')).toMatchObject({ metric: { name: 'facts' }, part: 'solved' });
    expect(csvMetric('maze:solved').metric).toBeUndefined();
    expect(csvMetric('maze').metric).toBeUndefined();
  });

  test('are those of all updates', () => {
    const metrics = [metricsOf(0), metricsOf(1, { heldOut: { answer: 1 } })];
    expect(csvColumns(metrics)).toContain('heldOut:answer');
    expect(csvColumns(metrics)).not.toContain('heldOut');
  });
});
