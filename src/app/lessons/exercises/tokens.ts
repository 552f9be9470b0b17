import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';

/** A token that the policy wrote. */
export interface WrittenToken {
  readonly text: string;
  /** The turn of the forest that wrote it, and its place in the group's tokens. */
  readonly turn: number;
  readonly tokenIndex: number;
  readonly value: number;
  /** Paid at this token. */
  readonly tokenReward: number;
}

/** The first rollout of two turns whose search found the answer, or simply the first of two turns. */
export function chosenRollout({ rollouts }: GroupView): RolloutView | undefined {
  const complete = rollouts.filter(({ turns }) => turns.length > 1);
  return complete.find(({ turns }) => (turns[0]?.components.retrieved ?? 0) > 0) ?? complete[0];
}

/** The tokens of a rollout, with what a critic expected at each and what was paid there. */
export function tokensOf({ forest }: GroupView, { tokens, turns, outcome }: RolloutView): readonly WrittenToken[] {
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
