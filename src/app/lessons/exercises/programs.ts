import { paths } from '../../../credit/arithmetic/chains.ts';
import { mean } from '../../../credit/arithmetic/normalize.ts';
import { ruleValues } from '../../../credit/ruleFacts.ts';
import { findRule } from '../../../credit/rules.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import { childrenOf, type Group } from '../../../rollouts/forest.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { exerciseStrings } from '../../strings/exerciseStrings.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { creditIn, type ExerciseBuilder, fromBestGroup, kinds, turnQuestion } from './exercise.ts';
import type { FormulaBuilder } from './formula.ts';
import { groupTable, rootsOf } from './groupRules.ts';

// Exercises and formulas of the rules for programs: Murphy on trees of programs (Ekbote, Lingam et al. 2025), and VeRPO
// with a reward for each test (Wang, Wu et al. 2026).

/**
 * Exercise on a tree: the credited values of up to two continued first programs, and the advantage of one of them. The
 * credited value of a program depends on its continuations.
 */
export const treeValues: ExerciseBuilder = fromBestGroup(
  (group, { rule, parameters }) => {
    const programs = continued(group);
    if (!creditIn(group, rule, parameters)?.intermediate.credited || programs.length === 0) return 0;
    // The score does not depend on the rule, so that two exercises can use one tree.
    const best = (turn: number) => bestOf(group, turn);
    return 1 + Number(kinds(rootsOf(group.forest).map(best)) > 1) + Number(kinds(programs.map(best)) > 1);
  },
  (group, exercise) => {
    const texts = exerciseStrings;
    const { rule, parameters } = exercise;
    const credit = creditIn(group, rule, parameters);
    const { credited, mean: means, std } = credit?.intermediate ?? {};
    const roots = rootsOf(group.forest);
    const [first, ...rest] = continued(group);
    const second = rest.find((turn) => first !== undefined && bestOf(group, turn) !== bestOf(group, first)) ?? rest[0];
    const selected = [first, second].filter((turn): turn is number => turn !== undefined);
    const last = selected.at(-1) ?? 0;
    const attempt = (turn: number) => roots.indexOf(turn);
    return {
      ...groupTable(group, [rule], selected.map(attempt)),
      given: [texts.numbers(texts.firstValues, plain(means?.[last] ?? 0), plain(std?.[last] ?? 0))],
      questions: [
        ...selected.map((turn) =>
          turnQuestion(texts.questionValue(attempt(turn) + 1), credited?.[turn] ?? Number.NaN, turn, exercise),
        ),
        turnQuestion(texts.questionAdvantage(attempt(last) + 1, 1), credit?.advantage[last] ?? 0, last, exercise),
      ],
    };
  },
);

/** Returns the first programs with continuations, in descending order of the improvement by a continuation. */
function continued(group: GroupView): readonly number[] {
  const { forest } = group;
  const children = childrenOf(forest);
  const gain = (turn: number) => bestOf(group, turn) - (forest.turns[turn]?.reward ?? 0);
  return rootsOf(forest)
    .filter((turn) => (children[turn]?.length ?? 0) > 0)
    .sort((a, b) => gain(b) - gain(a));
}

/** Returns the highest reward of a first program and its continuations. */
function bestOf({ forest: { turns } }: GroupView, root: number): number {
  const subtree = turns.filter((turn, index) => index === root || turn.parent === root);
  return Math.max(...subtree.map(({ reward }) => reward));
}

/** Exercise on the pass rate of a test, and on the test reward and the advantage of a partly correct program. */
export const testRewards: ExerciseBuilder = fromBestGroup(
  (group, { rule, parameters }) => {
    const rates = creditIn(group, rule, parameters)?.intermediate.passRate;
    if (!rates || partlyCorrect(group.forest) === undefined) return 0;
    return 1 + Number(kinds([...rates]) > 2) + Number(kinds(group.forest.turns.map(({ outcome }) => outcome)) > 2);
  },
  (group, exercise) => {
    const texts = exerciseStrings;
    const { forest } = group;
    const credit = creditIn(group, exercise.rule, exercise.parameters);
    const { passRate = [], turnReward = [], trajectoryReward = [], weights = [] } = credit?.intermediate ?? {};
    const turn = partlyCorrect(forest) ?? 0;
    const isPassed = (test: number) => forest.turns[turn]?.passed?.[test] === 1;
    // The test with the lowest pass rate among the tests that the program passes.
    const rates = Array.from(passRate, (rate, test) => (isPassed(test) ? rate : Number.POSITIVE_INFINITY));
    const marked = rates.indexOf(Math.min(...rates));
    const name = nameOf(forest, turn);
    const ends = paths(forest).map((chain) => trajectoryReward[chain[0] ?? 0] ?? 0);
    const question = (label: string, answer = Number.NaN) => turnQuestion(label, answer, turn, exercise);
    return {
      columns: [texts.test, texts.passing, texts.weight, texts.passedBy(name)],
      rows: Array.from(weights, (weight, test) => ({
        cells: [
          String(test + 1),
          texts.passes(forest.turns.filter(({ passed }) => passed?.[test] === 1).length, forest.turns.length),
          weight.toFixed(3),
          isPassed(test) ? texts.yes : texts.no,
        ],
        isQuestion: test === marked,
      })),
      given: [texts.means(plain(mean(turnReward)), plain(trajectoryReward[turn] ?? 0), plain(mean(ends)))],
      questions: [
        question(texts.questionRate(marked + 1), passRate[marked]),
        question(texts.questionReward(name), turnReward[turn]),
        question(texts.questionProgram(name), credit?.advantage[turn]),
      ],
    };
  },
);

/** Returns the first program that passes some but not all of its tests; undefined if there is no such program. */
function partlyCorrect({ turns }: Group): number | undefined {
  const index = turns.findIndex(({ passed }) => passed?.includes(1) && passed.includes(0));
  return index === -1 ? undefined : index;
}

/** Returns the name of a program: "3.1" is the first program of attempt 3. */
function nameOf(forest: Group, turn: number): string {
  const chains = paths(forest);
  const at = chains.findIndex((chain) => chain.includes(turn));
  return `${at + 1}.${(chains[at]?.indexOf(turn) ?? 0) + 1}`;
}

/** Numbers that are specific to the formula of one of the Murphy rules, from the rewards of the second programs. */
type BranchNumbers = (childRewards: readonly number[], gamma: number) => Readonly<Record<string, string>>;

/**
 * Returns the builder of the formula of a Murphy rule. It uses the first tree with the largest number of different
 * credited values of its first programs. The tree is the same for both rules; undefined if no tree has different values
 * under both rules.
 */
function murphyFormula(rule: 'murphy-mars' | 'murphy-mers', describe: BranchNumbers): FormulaBuilder {
  return (groups, controls) => {
    const credit = (group: GroupView, name = rule) => creditIn(group, name, ruleValues(findRule(name), controls));
    const countValues = (group: GroupView, name: typeof rule) => {
      const { credited } = credit(group, name)?.intermediate ?? {};
      return kinds(rootsOf(group.forest).map((root) => credited?.[root]));
    };
    const matches = groups.filter(
      (group) => countValues(group, 'murphy-mars') > 1 && countValues(group, 'murphy-mers') > 1,
    );
    const counts = matches.map((group) => countValues(group, 'murphy-mars'));
    const group = matches[counts.indexOf(Math.max(...counts))];
    const { intermediate, advantage } = (group && credit(group)) ?? {};
    if (!group || !intermediate) return undefined;
    const { turns } = group.forest;
    const children = childrenOf(group.forest);
    const gamma = Number(ruleValues(findRule(rule), controls).gamma);
    const roots = rootsOf(group.forest);
    return {
      caption: formulaStrings.firstPrograms(group.step, roots.length),
      rows: roots.map((root, index) => {
        const at = (values: ArrayLike<number> | undefined) => values?.[root] ?? Number.NaN;
        const childRewards = (children[root] ?? []).map((child) => turns[child]?.reward ?? Number.NaN);
        return {
          name: String(index + 1),
          texts: {
            R: plain(turns[root]?.reward ?? Number.NaN),
            seconds: childRewards.map(plain).join(', ') || formulaStrings.emptyCell,
            ...{ W: plain(at(intermediate.credited)), A: signed(at(advantage)) },
            ...{ mean: plain(at(intermediate.mean)), std: plain(at(intermediate.std)) },
            ...describe(childRewards, gamma),
          },
        };
      }),
    };
  };
}

/** Formula of MaRS: the value of a first program is the maximum of its reward and its continuations' rewards. */
export const bestOfTree = murphyFormula('murphy-mars', (childRewards) => ({ B: plain(Math.max(0, ...childRewards)) }));

/**
 * Formula of MeRS: the value of a first program is half the sum of its reward and the discounted mean reward of its
 * continuations. Without continuations, it is the reward.
 */
export const meanOfTree = murphyFormula('murphy-mers', (childRewards, gamma) => ({
  g: plain(gamma),
  M: plain(childRewards.length > 0 ? mean(childRewards) : 0),
  Z: childRewards.length > 0 ? '2' : '1',
}));

/**
 * Returns a group with different pass rates of its tests and different test rewards of its programs, with its credit
 * under VeRPO. A group whose attempts also have different outcomes is preferred.
 */
function chooseTested(groups: readonly GroupView[], controls: ParameterValues) {
  const values = ruleValues(findRule('verpo'), controls);
  const evaluated = groups.flatMap((group) => {
    const credit = creditIn(group, 'verpo', values);
    const { passRate = [], turnReward = [], trajectoryReward = [], weights = [] } = credit?.intermediate ?? {};
    if (!credit || kinds(Array.from(passRate)) < 2 || kinds(Array.from(turnReward)) < 2) return [];
    return [{ group, values, passRate, turnReward, trajectoryReward, weights, advantage: credit.advantage }];
  });
  return evaluated.find(({ trajectoryReward }) => kinds(Array.from(trajectoryReward)) > 1) ?? evaluated[0];
}

/** Formula of VeRPO for the weight of a test. */
export const testWeightFormula: FormulaBuilder = (groups, controls) => {
  const match = chooseTested(groups, controls);
  if (!match) return undefined;
  const { group, passRate, weights, values } = match;
  const [all, alpha] = [group.forest.turns.length, Number(values.alpha)];
  return {
    caption: formulaStrings.problemTests(group.step, weights.length),
    rows: Array.from(weights, (weight, test) => {
      const rate = passRate[test] ?? Number.NaN;
      const [count, rare] = [Math.round(rate * all), Math.exp(-alpha * rate)];
      return {
        name: String(test + 1),
        texts: {
          passed: formulaStrings.passedOf(count, all),
          ...{ rho: plain(rate), w: plain(rare), d: plain(rare / weight), g: plain(weight) },
          ...{ n: String(count), N: String(all), a: plain(alpha) },
        },
      };
    }),
  };
};

/** Formula of VeRPO for a program: the outcome of its attempt and its test reward, each minus its mean. */
export const programFormula: FormulaBuilder = (groups, controls) => {
  const match = chooseTested(groups, controls);
  if (!match) return undefined;
  const { group, turnReward, trajectoryReward, advantage, values } = match;
  const attempts = paths(group.forest);
  const ends = attempts.map(([turn = 0]) => trajectoryReward[turn] ?? Number.NaN);
  const given = { meanR: plain(mean(ends)), b: plain(Number(values.beta)), meanr: plain(mean(turnReward)) };
  return {
    caption: formulaStrings.programs(group.step, group.forest.turns.length),
    rows: attempts.flatMap((turns, at) =>
      turns.map((turn, position) => ({
        name: `${at + 1}.${position + 1}`,
        // An attempt counts once in the mean, regardless of its number of programs.
        ...(position > 0 ? { except: 'meanR' } : {}),
        texts: {
          ...given,
          passed: passedTests(group, turn),
          r: plain(turnReward[turn] ?? Number.NaN),
          R: plain(trajectoryReward[turn] ?? Number.NaN),
          A: signed(advantage[turn] ?? Number.NaN),
        },
      })),
    ),
  };
};

/** Returns the numbers of the tests that a program passes, for example "1, 2, 7". */
function passedTests({ forest }: GroupView, turn: number): string {
  const passed = forest.turns[turn]?.passed ?? [];
  const tests = passed.flatMap((bit, test) => (bit === 1 ? [test + 1] : []));
  if (tests.length === 0) return formulaStrings.emptyCell;
  return tests.length === passed.length ? formulaStrings.allTests : tests.join(', ');
}
