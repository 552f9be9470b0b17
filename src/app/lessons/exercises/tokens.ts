import { ruleValues } from '../../../credit/ruleFacts.ts';
import { findRule } from '../../../credit/rules.ts';
import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { exerciseStrings } from '../../strings/exerciseStrings.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { type BlanksQuestion, creditIn, type ExerciseBuilder, fromBestGroup, turnQuestion } from './exercise.ts';
import type { FormulaBuilder } from './formula.ts';

// Exercise and formula of the advantages of tokens, from the values of a critic.

/** Token that the policy wrote, with its value and its reward. */
interface WrittenToken {
  readonly text: string;
  /** Index of its turn in the forest. */
  readonly turn: number;
  /** Index of the token among all written tokens of the group. */
  readonly tokenIndex: number;
  /** Value of the critic at the token. */
  readonly value: number;
  /** Reward at the token. It is 0 except at the last token of a turn. */
  readonly tokenReward: number;
}

/**
 * Returns the first rollout of at least two turns whose search retrieved the answer, or else the first rollout of at
 * least two turns.
 */
function chosenRollout({ rollouts }: GroupView): RolloutView | undefined {
  const complete = rollouts.filter(({ turns }) => turns.length > 1);
  return complete.find(({ turns }) => (turns[0]?.components.retrieved ?? 0) > 0) ?? complete[0];
}

/** Returns the tokens of a rollout with the critic's values and the rewards. */
function tokensOf({ forest }: GroupView, { tokens, turns, outcome }: RolloutView): readonly WrittenToken[] {
  const starts = forest.turns.map((_, turn) =>
    forest.turns.slice(0, turn).reduce((sum, { values }) => sum + (values?.length ?? 0), 0),
  );
  return turns.flatMap(({ forestTurn, reward }, at) => {
    const values = forest.turns[forestTurn]?.values ?? [];
    const written = tokens.filter(({ turn }) => turn === at);
    return values.map((value, index) => {
      const last = index === values.length - 1;
      const tokenReward = last ? (at === turns.length - 1 ? outcome : reward) : 0;
      const tokenIndex = (starts[forestTurn] ?? 0) + index;
      return { text: written[index]?.text ?? '', turn: forestTurn, tokenIndex, value, tokenReward };
    });
  });
}

/** Tokens by which the policy uses its tool or ends without it. */
const DECIDES: readonly string[] = ['<search>', '<end>'];

/**
 * Exercise on the advantages of tokens of a rollout: the token that decides about the tool, and the last of each turn.
 */
export const tokenAdvantages: ExerciseBuilder = fromBestGroup(
  (group, { rule, parameters }) => (creditIn(group, rule, parameters)?.tokens && chosenRollout(group) ? 1 : 0),
  (group, exercise) => {
    const texts = exerciseStrings;
    const advantages = creditIn(group, exercise.rule, exercise.parameters)?.tokens?.advantages;
    const rollout = chosenRollout(group);
    const tokens = rollout ? tokensOf(group, rollout) : [];
    const lasts = tokens.flatMap(({ turn }, index) => (tokens[index + 1]?.turn === turn ? [] : [index]));
    const decides = tokens.findIndex(({ text }) => DECIDES.includes(text));
    const marked = [...new Set([decides === -1 ? 0 : decides, ...lasts])];
    return {
      columns: [texts.numberHead, texts.token, texts.value, texts.rewardHead],
      rows: tokens.map(({ text, value, tokenReward }, index) => ({
        cells: [String(index + 1), text, decimal(value), tokenReward === 0 ? '' : decimal(tokenReward)],
        isQuestion: marked.includes(index),
      })),
      given: [],
      questions: marked.flatMap((index): BlanksQuestion[] => {
        const token = tokens[index];
        const answer = token && advantages?.[token.tokenIndex];
        if (!token || answer === undefined) return [];
        return [turnQuestion(texts.questionToken(index + 1, token.text), answer, token.turn, exercise)];
      }),
    };
  },
);

const decimal = (value: number) => value.toFixed(3).replace('-', '−');

const RULE = 'mt-ppo';

/**
 * Formula of GAE per token without discount (Schulman et al. 2015), for a run with turn rewards and a critic. Newest
 * groups come first: the values of an untrained critic are not informative.
 */
export const gaeFormula: FormulaBuilder = (groups, controls) => {
  const values = ruleValues(findRule(RULE), controls);
  for (const group of groups.toReversed()) {
    const advantages = creditIn(group, RULE, values)?.tokens?.advantages;
    const rollout = chosenRollout(group);
    if (!advantages || !rollout) continue;
    const tokens = tokensOf(group, rollout);
    const advantage = (index: number) => signed(advantages[tokens[index]?.tokenIndex ?? -1] ?? 0, 3);
    return {
      caption: formulaStrings.tokens(group.step, group.rollouts.indexOf(rollout) + 1),
      rows: tokens.map(({ text, value, tokenReward }, index) => {
        const after = tokens[index + 1]?.value ?? 0;
        return {
          name: String(index + 1),
          texts: {
            token: text,
            V: plain(value),
            r: plain(tokenReward),
            d: signed(tokenReward + after - value, 3),
            A: advantage(index),
            Vn: plain(after),
            An: advantage(index + 1),
            l: plain(Number(values.lambda)),
          },
        };
      }),
    };
  }
  return undefined;
};
