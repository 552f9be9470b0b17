import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';

/** Token that the policy wrote, with its value and its reward. */
export interface WrittenToken {
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
export function chosenRollout({ rollouts }: GroupView): RolloutView | undefined {
  const complete = rollouts.filter(({ turns }) => turns.length > 1);
  return complete.find(({ turns }) => (turns[0]?.components.retrieved ?? 0) > 0) ?? complete[0];
}

/** Returns the tokens of a rollout with the critic's values and the rewards. */
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
