import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Formula, isLit, type Part, partsOf } from '../../../../src/app/lessons/exercises/formula.ts';
import { bindFormula } from '../../../../src/app/lessons/exercises/plan.ts';
import { formulaStrings } from '../../../../src/app/strings/formulaStrings.ts';
import { FORMULAS } from '../../../../src/lessons/lesson.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import { root } from '../../../files.ts';
import { lessonGroups } from '../../lessons/lessonGroups.ts';
import { groupOf } from '../appFixtures.ts';

const lessons = readLessons(join(root, 'lessons'));

/** Formulas of all lessons, bound to groups of their runs. */
const bound = await Promise.all(
  lessons.flatMap(({ name, formulas, runs }) =>
    formulas.map(async ({ of, run }) => {
      const { groups, configuration } = await lessonGroups(runs.find((entry) => entry.name === run) ?? runs[0]);
      return { name, of, formula: bindFormula(of, groups, configuration.controls) };
    }),
  ),
);

/** Computes the value of one side of a formula with the numbers of a row. */
function evaluate(side: string, values: Readonly<Record<string, string>>): number {
  const text = side
    .replace(/\{(.*?) \| (.*?)\}/g, '($1)/($2)')
    .replace(/\[(\w+)\]/g, (_, key: string) => `(${(values[key] ?? 'NaN').replace('+', '')})`)
    .replaceAll('−', '-')
    .replaceAll('·', '*')
    .replace(/max|exp/, 'Math.$&');
  return Number(new Function(`return ${text}`)());
}

const formulaIn = (formula: Formula | undefined): Formula => {
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
  for (const { texts } of rows) {
    for (const line of lines) {
      const [left = '', right = ''] = line.split(' = ');
      // Numbers are shown with two or three digits.
      expect(Math.abs(evaluate(left, texts) - evaluate(right, texts))).toBeLessThan(0.02);
    }
  }
});

test.each(bound)('$name, $of: every symbol has a meaning, and every row has all numbers and texts', ({ formula }) => {
  const { name, lines, rows, columns } = formulaIn(formula);
  const used = [...new Set(lines.flatMap((line) => [...line.matchAll(/\[(\w+)\]/g)].map(([, key = '']) => key)))];
  expect(Object.keys(formulaStrings.symbols[name]).sort()).toEqual([...used].sort());
  const keys = [...new Set([...used, ...columns.map(({ of }) => of)])].sort();
  for (const { texts } of rows) expect(Object.keys(texts).sort()).toEqual(keys);
});

test('partsOf splits a line into texts, symbols and fractions', () => {
  expect(partsOf('[Q] = max({[W] + [k] | 2}, [B])')).toEqual<readonly Part[]>([
    { symbol: 'Q' },
    ' = max(',
    { over: [{ symbol: 'W' }, ' + ', { symbol: 'k' }], under: ['2'] },
    ', ',
    { symbol: 'B' },
    ')',
  ]);
});

test('a symbol of a formula highlights its numbers in all rows, in the inspected row or in the related rows', () => {
  const lit = (formula: Formula, key: string, inspected: number) =>
    formula.rows.flatMap((_, row) =>
      formula.columns.flatMap((__, column) =>
        isLit(formula, key, row, column, inspected) ? [`${row}.${column}`] : [],
      ),
    );
  const fitted = formulaIn(bindFormula('grpo-or', [groupOf()], {}));
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
  // An attempt with two programs counts once in the mean of the outcomes.
  const programs = formulaIn(bound.find(({ of }) => of === 'verpo')?.formula);
  const firsts = programs.rows.flatMap(({ name }, row) => (name.endsWith('.1') ? [`${row}.2`] : []));
  expect(lit(programs, 'meanR', 0)).toEqual(firsts);
});

test('a formula is not bound to a run with only tied groups', () => {
  const { rollouts, ...group } = groupOf();
  const tied = { ...group, rollouts: rollouts.map((rollout) => ({ ...rollout, outcome: 1 })) };
  expect(bindFormula('grpo-or', [tied], {})).toBeUndefined();
  expect(bindFormula('rtmc', [], {})).toBeUndefined();
});
