import { findRule } from '../../../credit/rules.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { creditIn, type ExerciseBuilder, type Question } from './task.ts';
import { chosenRollout, tokensOf } from './tokens.ts';

/** Tokens by which the policy uses its tool or ends without it. */
const DECIDES: readonly string[] = ['<search>', '<end>'];

/**
 * Exercise on the advantages of tokens of a rollout: the token that decides about the tool, and the last of each turn.
 */
export const critic: ExerciseBuilder = {
  suitability(group, exercise) {
    const rollout = chosenRollout(group);
    return creditIn(group, exercise)?.tokens && rollout && rollout.turns.length > 1 ? 1 : 0;
  },
  task(group, exercise) {
    const texts = lessonStrings.exercise;
    const { rule, parameters } = exercise;
    const advantages = creditIn(group, exercise)?.tokens?.advantages;
    const rollout = chosenRollout(group);
    const tokens = rollout ? tokensOf(group, rollout) : [];
    const lasts = tokens.flatMap(({ turn }, index) => (tokens[index + 1]?.turn === turn ? [] : [index]));
    const decides = tokens.findIndex(({ text }) => DECIDES.includes(text));
    const questionTurns = [...new Set([decides === -1 ? 0 : decides, ...lasts])];
    const questions = questionTurns.flatMap((index): Question[] => {
      const token = tokens[index];
      const answer = token && advantages?.[token.tokenIndex];
      if (!token || answer === undefined) return [];
      return [{ label: texts.questionToken(index + 1, token.text), answer, rule, turn: token.turn }];
    });
    const lambda = Number(parameters.lambda ?? defaultLambda(rule));
    return {
      columns: [texts.numberHead, texts.token, texts.value, texts.rewardHead],
      rows: tokens.map(({ text, value, tokenReward }, index) => ({
        ...{ name: String(index + 1), isQuestion: questionTurns.includes(index) },
        cells: [text, decimal(value), tokenReward === 0 ? '' : decimal(tokenReward)],
      })),
      hint: [lambda === 0 ? texts.stepHint : lambda === 1 ? texts.waitHint : texts.gaeHint(lambda)],
      questions,
    };
  },
};

function defaultLambda(rule: string): unknown {
  return findRule(rule).parameters.find(({ name }) => name === 'lambda')?.default ?? 1;
}

const decimal = (value: number) => value.toFixed(3).replace('-', '−');
