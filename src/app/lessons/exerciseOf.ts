import { mean, standardDeviation } from '../../credit/arithmetic/statistics.ts';
import type { GroupView, RolloutView } from '../../training/data/protocol.ts';
import { plain, signed } from '../group/groupNumbers.ts';
import { runChoice } from '../group/judging.ts';
import { creditOf } from '../inspector/choice.ts';

/** An advantage to be worked out. */
export interface Question {
  /** From 0. */
  readonly rollout: number;
  readonly turn: number;
  /** Its place in the group's forest. */
  readonly forestTurn: number;
  readonly advantage: number;
}

export type Check = 'right' | 'near' | 'wrong' | 'empty';

/** How far a right answer may be away, for rounding on the way. */
const EXACT = 0.006;
const NEAR = 0.06;

/** Questions about a group: both turns of a rollout that stands out, and one turn of another. */
export function questionsOf(group: GroupView, rule: string): readonly Question[] {
  const { credit } = creditOf(group.forest, runChoice(rule, {}), rule);
  if (!credit) return [];
  const outcomes = group.rollouts.map(({ outcome }) => outcome);
  const best = outcomes.indexOf(Math.max(...outcomes));
  const worst = outcomes.indexOf(Math.min(...outcomes));
  const wanted = [
    [best, 0],
    [best, 1],
    [worst, 0],
  ] as const;
  return wanted.flatMap(([rollout, turn]) => {
    const forestTurn = group.rollouts[rollout]?.turns[turn]?.forestTurn;
    const advantage = forestTurn === undefined ? undefined : credit.advantage[forestTurn];
    return forestTurn === undefined || advantage === undefined ? [] : [{ rollout, turn, forestTurn, advantage }];
  });
}

/** Rules that pay turn 1 for itself: under others what it earned says nothing. */
const PAYS_TURNS: readonly string[] = ['mt-grpo'];

/** The numbers that a rule needs, as the reader sees them, and the means and deviations of their columns for the hint. */
export function tableOf({ rollouts }: GroupView, rule: string) {
  const turns = PAYS_TURNS.includes(rule);
  const firsts = rollouts.map(firstReward);
  const outcomes = rollouts.map(({ outcome }) => outcome);
  const given = (column: 'first' | 'outcome', values: readonly number[]) => ({
    ...{ column, mean: plain(mean(values)), deviation: plain(standardDeviation(values, 1)) },
  });
  return {
    rows: rollouts.map((rollout, index) => ({
      searched: searched(rollout),
      ...(turns ? { first: signed(firsts[index] ?? 0) } : {}),
      outcome: signed(outcomes[index] ?? 0),
    })),
    given: [...(turns ? [given('first', firsts)] : []), given('outcome', outcomes)],
  };
}

/** Holds what a reader wrote against the number: commas and minus signs of any kind are read. */
export function checkAnswer(text: string, advantage: number): Check {
  const plain = text.trim().replaceAll('−', '-').replaceAll('–', '-').replace(',', '.').replace(/^\+/, '');
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(plain)) return 'empty';
  const apart = Math.abs(Number(plain) - advantage);
  if (apart <= EXACT) return 'right';
  return apart <= NEAR ? 'near' : 'wrong';
}

function firstReward({ turns }: RolloutView): number {
  return turns[0]?.reward ?? 0;
}

function searched({ turns }: RolloutView): boolean {
  return (turns[0]?.components.executed ?? 0) > 0;
}
