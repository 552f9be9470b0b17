import { expect, test } from 'vitest';
import { axisSvg, inOrder, type PlotRow, plotExtent, plotSvg } from '../../../../src/experiments/claims/plot.ts';

const rowOf = (changes: Partial<PlotRow>): PlotRow => ({
  ...{
    differences: [{ seed: 1, difference: 0.2 }],
    mean: 0.2,
    low: 0.15,
    high: 0.25,
    margin: 0.1,
    bound: 0.1,
    ...changes,
  },
});
const numbers = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map(([, value]) => Number(value));

test('rows with different margins have the same band, and equal multiples of the margins have equal positions', () => {
  const points = rowOf({});
  const updates = rowOf({
    differences: [{ seed: 1, difference: 6 }],
    mean: 6,
    low: 4.5,
    high: 7.5,
    margin: 3,
    bound: 3,
    unit: 'updates',
  });
  const extent = plotExtent([points, updates]);
  const positions = (row: PlotRow) => numbers(plotSvg(row, extent), /(?: x|cx|x1|width)="([\d.]+)%?"/g);
  expect(positions(points)).toEqual(positions(updates));
  expect(plotSvg(updates, extent)).toContain('<title>seed 1: +6.00</title>');
});

test('the dashed line is on the side that the interval must pass, and all marks are inside the picture', () => {
  const dashed = (row: PlotRow) => Number(/x1="([\d.]+)%"[^>]*dasharray/.exec(plotSvg(row, 3))?.[1]);
  expect(dashed(rowOf({}))).toBeGreaterThan(50);
  expect(dashed(rowOf({ bound: -0.1 }))).toBeLessThan(50);
  const far = rowOf({
    differences: [-4, 9].map((difference, index) => ({ seed: index + 1, difference })),
    low: -5,
    high: 10,
  });
  const positions = numbers(plotSvg(far, plotExtent([far])), /(?: x|cx|x1|x2)="([\d.]+)%"/g);
  expect([Math.min(...positions) >= 0, Math.max(...positions) <= 100]).toEqual([true, true]);
  expect(axisSvg(plotExtent([far]))).toContain('>−10<');
});

test('a row without an interval and with margin 0 is drawn without invalid numbers', () => {
  const svg = plotSvg(rowOf({ low: null, high: null, margin: 0, bound: 0 }), 3);
  expect(svg).not.toMatch(/NaN|Infinity|null/);
});

test('rows are ordered by mean divided by margin, the largest first', () => {
  const rows = [0.1, 0.3, -0.2].map((mean) => ({ row: rowOf({ mean }) }));
  const large = { row: rowOf({ mean: 12, margin: 3, bound: 3 }) };
  expect(inOrder([...rows, large]).map(({ row }) => row.mean)).toEqual([12, 0.3, 0.1, -0.2]);
});
