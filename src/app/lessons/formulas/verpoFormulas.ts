import { paths } from '../../../credit/arithmetic/chains.ts';
import type { Credit } from '../../../credit/rule.ts';
import { ruleValues } from '../../../credit/ruleFacts.ts';
import { findRule } from '../../../credit/rules.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { creditOf } from '../../inspector/choice.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { kinds } from '../exercises/task.ts';
import { type BoundFormula, type BoundRow, symbol } from './formula.ts';

interface EvaluatedGroup {
  readonly group: GroupView;
  readonly of: Credit['intermediate'];
  readonly advantage: ArrayLike<number>;
  readonly values: ParameterValues;
}

/**
 * Returns a group with different pass rates of its tests and different test rewards of its programs. A group whose
 * attempts also have different outcomes is preferred.
 */
function chooseTested(groups: readonly GroupView[], controls: ParameterValues): EvaluatedGroup | undefined {
  const values = ruleValues(findRule('verpo'), controls);
  const evaluated = groups.flatMap((group): EvaluatedGroup[] => {
    const { credit } = creditOf(group.forest, { rule: 'verpo', values: { verpo: values } });
    const { passRate = [], turnReward = [] } = credit?.intermediate ?? {};
    if (!credit || kinds(Array.from(passRate)) < 2 || kinds(Array.from(turnReward)) < 2) return [];
    return [{ group, of: credit.intermediate, advantage: credit.advantage, values }];
  });
  const ends = ({ of }: EvaluatedGroup) => kinds(Array.from(of.trajectoryReward ?? []));
  return evaluated.find((candidate) => ends(candidate) > 1) ?? evaluated[0];
}

/** Creates the formula of VeRPO for the weight of a test (Wang, Wu et al. 2026). */
export function testWeightFormula(groups: readonly GroupView[], controls: ParameterValues): BoundFormula | undefined {
  const texts = formulaStrings;
  const match = chooseTested(groups, controls);
  if (!match) return undefined;
  const { group, of, values } = match;
  const [all, alpha] = [group.forest.turns.length, Number(values.alpha)];
  return {
    caption: texts.problemTests(group.step, of.weights?.length ?? 0),
    row: 'test',
    symbols: texts.testWeights,
    lines: [
      [symbol('rho'), ' = ', { over: [symbol('n')], under: [symbol('N')] }],
      [symbol('w'), ' = ', 'exp(−', symbol('a'), ' · ', symbol('rho'), ')'],
      [symbol('g'), ' = ', { over: [symbol('w')], under: [symbol('d')] }],
    ],
    columns: [texts.test, texts.passedBy, texts.rate, texts.rarity, texts.samePassed, texts.weight],
    rows: Array.from(of.weights ?? [], (weight, test): BoundRow => {
      const rate = of.passRate?.[test] ?? Number.NaN;
      const [count, rare] = [Math.round(rate * all), Math.exp(-alpha * rate)];
      const terms = { rho: plain(rate), w: plain(rare), d: plain(rare / weight), g: plain(weight) };
      return {
        name: String(test + 1),
        cells: [
          { text: texts.passedOf(count, all), rowSymbols: ['n'], symbols: ['N'] },
          { text: terms.rho, rowSymbols: ['rho'], symbols: ['d'] },
          { text: terms.w, rowSymbols: ['w'] },
          { text: terms.d, rowSymbols: ['d'] },
          { text: terms.g, rowSymbols: ['g'] },
        ],
        values: { ...terms, n: String(count), N: String(all), a: plain(alpha) },
      };
    }),
  };
}

/** Creates the formula of VeRPO for a program: the outcome of its attempt and its test reward, each minus its mean. */
export function programCredit(groups: readonly GroupView[], controls: ParameterValues): BoundFormula | undefined {
  const texts = formulaStrings;
  const match = chooseTested(groups, controls);
  if (!match) return undefined;
  const { group, of, advantage, values } = match;
  const [attempts, ends] = [paths(group.forest), Array.from(of.trajectoryReward ?? [])];
  const meanR = plain(mean(attempts.map(([turn = 0]) => ends[turn] ?? Number.NaN)));
  const given = { meanR, b: plain(Number(values.beta)), meanr: plain(mean(Array.from(of.turnReward ?? []))) };
  return {
    caption: texts.programs(group.step, group.forest.turns.length),
    row: 'program',
    symbols: texts.verpo,
    lines: [
      [
        ...[symbol('A'), ' = ', '(', symbol('R'), ' − ', symbol('meanR'), ') + '],
        ...[symbol('b'), ' · (', symbol('r'), ' − ', symbol('meanr'), ')'],
      ],
    ],
    columns: [texts.program, texts.passes, texts.testReward, texts.attemptRewardHead, texts.advantage],
    rows: attempts.flatMap((turns, at) =>
      turns.map((turn, position): BoundRow => {
        const [R, r] = [plain(ends[turn] ?? Number.NaN), plain(of.turnReward?.[turn] ?? Number.NaN)];
        const A = signed(advantage[turn] ?? Number.NaN);
        return {
          name: `${at + 1}.${position + 1}`,
          cells: [
            { text: passedTests(group, turn), rowSymbols: ['r'] },
            { text: r, rowSymbols: ['r'], symbols: ['meanr'] },
            // An attempt counts once in the mean, regardless of its number of programs.
            { text: R, rowSymbols: ['R'], symbols: position === 0 ? ['meanR'] : [] },
            { text: A, rowSymbols: ['A'] },
          ],
          values: { ...given, R, r, A },
        };
      }),
    ),
  };
}

/** Returns the numbers of the tests that a program passes, for example "1, 2, 7". */
function passedTests({ forest }: GroupView, turn: number): string {
  const passed = forest.turns[turn]?.passed ?? [];
  const tests = passed.flatMap((bit, test) => (bit === 1 ? [test + 1] : []));
  if (tests.length === 0) return formulaStrings.emptyCell;
  return tests.length === passed.length ? formulaStrings.allTests : tests.join(', ');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
