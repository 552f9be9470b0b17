import type { Credit } from '../../../credit/rule.ts';
import { ruleValues } from '../../../credit/ruleFacts.ts';
import { findRule } from '../../../credit/rules.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import { childrenOf } from '../../../rollouts/forest.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { creditOf } from '../../inspector/choice.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { rootsOf } from '../exercises/tables.ts';
import { kinds } from '../exercises/task.ts';
import { type BoundCell, type BoundFormula, type BoundRow, normalised, type Part, symbol } from './formula.ts';

type Rule = 'murphy-mars' | 'murphy-mers';

/** Tree with the credit of one of the Murphy rules for its first programs (Ekbote, Lingam et al. 2025). */
interface Tree {
  readonly group: GroupView;
  readonly credit: Credit;
  readonly roots: readonly number[];
  /** [turns] children of each turn. */
  readonly children: readonly (readonly number[])[];
}

/**
 * Returns the first tree with the largest number of different credited values of its first programs. The tree is the
 * same for both rules; undefined if no tree has different values under both rules.
 */
function chooseTree(groups: readonly GroupView[], rule: Rule, controls: ParameterValues): Tree | undefined {
  const creditIn = ({ forest }: GroupView, name: Rule) =>
    creditOf(forest, { rule: name, values: { [name]: ruleValues(findRule(name), controls) } }).credit;
  const countValues = (group: GroupView, name: Rule) => {
    const { credited } = creditIn(group, name)?.intermediate ?? {};
    return kinds(rootsOf(group.forest).map((root) => credited?.[root]));
  };
  const matches = groups.filter(
    (group) => countValues(group, 'murphy-mars') > 1 && countValues(group, 'murphy-mers') > 1,
  );
  const maximum = Math.max(...matches.map((group) => countValues(group, 'murphy-mars')));
  const group = matches.find((candidate) => countValues(candidate, 'murphy-mars') === maximum);
  const credit = group && creditIn(group, rule);
  return group && credit && { group, credit, roots: rootsOf(group.forest), children: childrenOf(group.forest) };
}

/**
 * Creates the formula of MaRS: the value of a first program is the maximum of its reward and its continuations'
 * rewards.
 */
export function bestOfTree(groups: readonly GroupView[], controls: ParameterValues): BoundFormula | undefined {
  const tree = chooseTree(groups, 'murphy-mars', controls);
  if (!tree) return undefined;
  const lines = [[symbol('W'), ' = ', 'max(', symbol('R'), ', ', symbol('B'), ')']];
  return boundTree(tree, formulaStrings.mars, lines, ['B'], (childRewards) => ({
    B: plain(Math.max(0, ...childRewards)),
  }));
}

/**
 * Creates the formula of MeRS. The value of a first program is half the sum of its reward and the discounted mean
 * reward of its continuations. Without continuations, it is the reward.
 */
export function meanOfTree(groups: readonly GroupView[], controls: ParameterValues): BoundFormula | undefined {
  const tree = chooseTree(groups, 'murphy-mers', controls);
  if (!tree) return undefined;
  const gamma = plain(Number(ruleValues(findRule('murphy-mers'), controls).gamma));
  const over: Part[] = [symbol('R'), ' + ', symbol('g'), ' · ', symbol('M')];
  return boundTree(
    tree,
    formulaStrings.mers,
    [[symbol('W'), ' = ', { over, under: [symbol('Z')] }]],
    ['M'],
    (childRewards) => ({
      g: gamma,
      M: plain(childRewards.reduce((sum, value) => sum + value, 0) / Math.max(1, childRewards.length)),
      Z: childRewards.length > 0 ? '2' : '1',
    }),
  );
}

/**
 * Creates the formula of a Murphy rule.
 * @param backup lines that define the value of a first program
 * @param below symbols of the rewards of its second programs
 * @param describe function from the rewards of the second programs to the numbers of these lines except R
 */
function boundTree(
  { group, credit, roots, children }: Tree,
  symbols: BoundFormula['symbols'],
  backup: readonly (readonly Part[])[],
  below: readonly string[],
  describe: (childRewards: readonly number[]) => Readonly<Record<string, string>>,
): BoundFormula {
  const texts = formulaStrings;
  const { turns } = group.forest;
  const { credited, mean, std } = credit.intermediate;
  return {
    caption: texts.firstPrograms(group.step, roots.length),
    row: 'program',
    symbols,
    lines: [...backup, [symbol('A'), ' = ', normalised('W', 'mean', 'std')]],
    columns: [texts.program, texts.passedShare, texts.secondPrograms, texts.valueHead, texts.advantage],
    rows: roots.map((root, index): BoundRow => {
      const at = (values: ArrayLike<number> | undefined) => values?.[root] ?? Number.NaN;
      const reward = turns[root]?.reward ?? Number.NaN;
      const childRewards = (children[root] ?? []).map((child) => turns[child]?.reward ?? Number.NaN);
      const [W, A] = [plain(at(credited)), signed(at(credit.advantage))];
      const seconds: BoundCell = {
        text: childRewards.length > 0 ? childRewards.map(plain).join(', ') : texts.emptyCell,
        rowSymbols: below,
      };
      return {
        name: String(index + 1),
        cells: [
          { text: plain(reward), rowSymbols: ['R'] },
          seconds,
          { text: W, symbols: ['mean', 'std'], rowSymbols: ['W'] },
          { text: A, rowSymbols: ['A'] },
        ],
        values: { R: plain(reward), W, A, mean: plain(at(mean)), std: plain(at(std)), ...describe(childRewards) },
      };
    }),
  };
}
