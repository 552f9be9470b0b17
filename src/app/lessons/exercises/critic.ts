import { findRule } from '../../../credit/rules.ts';
import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { creditIn, type Question, type TaskMaker } from './task.ts';

/** A token that the policy wrote. */
interface Told {
  readonly text: string;
  /** The turn of the forest that wrote it, and its place in the group's tokens. */
  readonly turn: number;
  readonly place: number;
  readonly value: number;
  /** Paid at this token. */
  readonly paid: number;
}

/** The tokens at which the policy decides about its tool. */
const DECIDES: readonly string[] = ['<search>', '<end>'];

/** Advantages of three tokens of a rollout: of the one that decides, and of the last of each turn. */
export const critic: TaskMaker = {
  suits(group, exercise) {
    const rollout = chosen(group);
    return creditIn(group, exercise)?.tokens && rollout && rollout.turns.length > 1 ? 1 : 0;
  },
  task(group, exercise) {
    const texts = lessonStrings.exercise;
    const { rule, parameters } = exercise;
    const advantages = creditIn(group, exercise)?.tokens?.advantages;
    const rollout = chosen(group);
    const tokens = rollout ? tokensOf(group, rollout) : [];
    const lasts = tokens.flatMap(({ turn }, index) => (tokens[index + 1]?.turn === turn ? [] : [index]));
    const decides = tokens.findIndex(({ text }) => DECIDES.includes(text));
    const asked = [...new Set([decides === -1 ? 0 : decides, ...lasts])];
    const questions = asked.flatMap((index): Question[] => {
      const token = tokens[index];
      const answer = token && advantages?.[token.place];
      if (!token || answer === undefined) return [];
      return [{ label: texts.askToken(index + 1, token.text), answer, rule, turn: token.turn }];
    });
    const lambda = Number(parameters.lambda ?? defaultLambda(rule));
    return {
      columns: [texts.place, texts.token, texts.value, texts.paid],
      rows: tokens.map(({ text, value, paid }, index) => ({
        ...{ name: String(index + 1), asked: asked.includes(index) },
        cells: [text, decimal(value), paid === 0 ? '' : decimal(paid)],
      })),
      hint: [lambda === 0 ? texts.stepHint : lambda === 1 ? texts.waitHint : texts.gaeHint(lambda)],
      questions,
    };
  },
};

/** The first rollout of two turns that decided otherwise than most, or simply the first. */
function chosen({ rollouts }: GroupView): RolloutView | undefined {
  const whole = rollouts.filter(({ turns }) => turns.length > 1);
  return whole.find(({ turns }) => (turns[0]?.components.retrieved ?? 0) > 0) ?? whole[0];
}

function tokensOf({ forest }: GroupView, { tokens, turns, outcome }: RolloutView): readonly Told[] {
  const starts = forest.turns.map((_, turn) =>
    forest.turns.slice(0, turn).reduce((sum, { values }) => sum + (values?.length ?? 0), 0),
  );
  return turns.flatMap(({ forestTurn, reward }, at) => {
    const values = forest.turns[forestTurn]?.values ?? [];
    const written = tokens.filter(({ turn }) => turn === at);
    return values.map((value, index) => {
      const last = index === values.length - 1;
      const paid = last ? (at === turns.length - 1 ? outcome : reward) : 0;
      const place = (starts[forestTurn] ?? 0) + index;
      return { text: written[index]?.text ?? '', turn: forestTurn, place, value, paid };
    });
  });
}

function defaultLambda(rule: string): unknown {
  return findRule(rule).parameters.find(({ name }) => name === 'lambda')?.default ?? 1;
}

const decimal = (value: number) => value.toFixed(3).replace('-', '−');
