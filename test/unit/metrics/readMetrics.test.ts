import { describe, expect, test } from 'vitest';
import { METRICS, MetricError, readMetrics } from '../../../src/metrics/metricTable.ts';
import { metricsOf } from '../app/appFixtures.ts';

const describePosition = () => 'metrics[7]';
const read = (changes: object) => readMetrics({ ...metricsOf(7), ...changes }, describePosition);

/** Returns the metrics of an update without the named metric. */
const without = (name: string) => Object.fromEntries(Object.entries(metricsOf(7)).filter(([key]) => key !== name));

describe('readMetrics', () => {
  test('readMetrics returns valid metrics unchanged', () => {
    const row = metricsOf(7, { facts: { solved: null }, heldOut: { answer: 0.5 } });
    expect(readMetrics(row, describePosition)).toEqual(row);
  });

  test('readMetrics retains metrics with names that the table lacks', () => {
    expect(read({ surprise: [1] })).toEqual({ ...metricsOf(7), surprise: [1] });
  });

  test('readMetrics replaces NaN and infinite values by null', () => {
    expect(read({ loss: Number.NaN, entropy: Number.POSITIVE_INFINITY, facts: { a: Number.NaN } })).toMatchObject({
      ...{ loss: null, entropy: null },
      facts: { a: null },
    });
  });

  test.each([
    [{ rule: 3 }, 'metrics[7].rule is 3, not a text'],
    [{ rule: undefined }, 'metrics[7].rule is missing, not a text'],
    [{ entropy: 'high' }, 'metrics[7].entropy is "high", not a number'],
    [{ tasks: [] }, 'metrics[7].tasks is [], not a number'],
    [{ components: null }, 'metrics[7].components is not an object'],
    [{ components: { right: 'x' } }, 'metrics[7].components.right is "x", not a number'],
    [{ facts: [] }, 'metrics[7].facts is not an object'],
    [{ heldOut: { answer: true } }, 'metrics[7].heldOut.answer is true, not a number'],
  ])('readMetrics throws an error for %o', (changes, message) => {
    expect(() => read(changes)).toThrow(message);
    expect(() => read(changes)).toThrow(MetricError);
  });

  test.each(METRICS.map(({ name }) => name))('readMetrics throws an error for an update without %s', (name) => {
    expect(() => readMetrics(without(name), describePosition)).toThrow(`metrics[7].${name} is`);
  });
});
