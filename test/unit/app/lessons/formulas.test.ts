import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BoundFormula, isLit, type Part, symbolsIn } from '../../../../src/app/lessons/formulas/formula.ts';
import { formulaOf } from '../../../../src/app/lessons/formulas/formulaOf.ts';
import { FORMULAS } from '../../../../src/lessons/formula.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import { root } from '../../../files.ts';
import { lessonGroups } from '../../lessons/lessonGroups.ts';
import { groupOf } from '../appFixtures.ts';

const lessons = readLessons(join(root, 'lessons'), 'en');

/** Formulas of all lessons, bound to groups of their runs. */
const bound = await Promise.all(
  lessons.flatMap(({ name, formulas, runs }) =>
    formulas.map(async ({ of, run }) => {
      const { groups, configuration } = await lessonGroups(runs.find((entry) => entry.name === run) ?? runs[0]);
      return { name, of, formula: formulaOf(of, groups, configuration.controls) };
    }),
  ),
);

/** Computes the value of one side of a formula with the numbers of a row. */
function evaluate(parts: readonly Part[], values: Readonly<Record<string, string>>): number {
  const text = (some: readonly Part[]): string =>
    some
      .map((part) => {
        if (typeof part === 'string')
          return part
            .replace('−', '-')
            .replace('·', '*')
            .replace(/max|exp/, 'Math.$&');
        if ('symbol' in part) return `(${(values[part.symbol] ?? 'NaN').replace('−', '-').replace('+', '')})`;
        return `(${text(part.over)})/(${text(part.under)})`;
      })
      .join('');
  return Number(new Function(`return ${text(parts)}`)());
}

/** Returns the parts of a line before and after its equals sign. */
function sides(line: readonly Part[]): readonly [readonly Part[], readonly Part[]] {
  const at = line.indexOf(' = ');
  return [line.slice(0, at), line.slice(at + 1)];
}

const formulaIn = (formula: BoundFormula | undefined): BoundFormula => {
  if (!formula) throw new Error('the formula is not bound');
  return formula;
};

test('every lesson has a formula, and every formula belongs to a lesson', () => {
  expect([...new Set(bound.map(({ name }) => name))]).toEqual(lessons.map(({ name }) => name));
  expect([...new Set(bound.map(({ of }) => of))].sort()).toEqual([...FORMULAS].sort());
});

test.each(bound)('$name, $of: both sides of each line have equal values in each row', ({ formula }) => {
  const { lines, rows } = formulaIn(formula);
  expect(rows.length).toBeGreaterThan(2);
  for (const { values } of rows) {
    for (const line of lines) {
      const [left, right] = sides(line).map((side) => evaluate(side, values));
      // Numbers are shown with two or three digits.
      expect(Math.abs((left ?? Number.NaN) - (right ?? Number.NaN))).toBeLessThan(0.02);
    }
  }
});

test.each(bound)('$name, $of: every symbol has a meaning and a number in every row', ({ formula }) => {
  const { lines, rows, symbols } = formulaIn(formula);
  const used = [...new Set(lines.flatMap(symbolsIn))].sort();
  expect(used).toEqual(Object.keys(symbols).sort());
  for (const { values } of rows) expect(Object.keys(values).sort()).toEqual(used);
});

test('a symbol of a formula highlights its numbers in all rows, in the inspected row or in the related rows', () => {
  const lit = (formula: BoundFormula, key: string, inspected: number) =>
    formula.rows.flatMap(({ cells }, row) =>
      cells.flatMap((_, column) => (isLit(formula, key, row, column, inspected) ? [`${row}.${column}`] : [])),
    );
  const fitted = formulaIn(formulaOf('grpo-or', [groupOf()], {}));
  expect(lit(fitted, 'mean', 1)).toEqual(['0.0', '1.0']);
  expect(lit(fitted, 'R', 1)).toEqual(['1.0']);
  expect(lit(fitted, 'A', 0)).toEqual(['0.1']);
  const met = formulaIn(bound.find(({ of }) => of === 'rtmc')?.formula);
  const [first] = met.rows;
  const kin = met.rows.flatMap(({ kin }, row) => (kin === first?.kin ? [`${row}.1`] : []));
  expect(lit(met, 'Q', 0)).toEqual(kin);
  expect(kin.length).toBeLessThan(met.rows.length);
  const tokens = formulaIn(bound.find(({ of }) => of === 'gae')?.formula);
  const last = tokens.rows.length - 1;
  expect(lit(tokens, 'Vn', 0)).toEqual(['1.1']);
  expect(lit(tokens, 'An', last - 1)).toEqual([`${last}.4`]);
  expect(lit(tokens, 'Vn', last)).toEqual([]);
});

test('a formula is not bound to a run with only tied groups', () => {
  const { rollouts, ...group } = groupOf();
  const tied = { ...group, rollouts: rollouts.map((rollout) => ({ ...rollout, outcome: 1 })) };
  expect(formulaOf('grpo-or', [tied], {})).toBeUndefined();
  expect(formulaOf('rtmc', [], {})).toBeUndefined();
});
