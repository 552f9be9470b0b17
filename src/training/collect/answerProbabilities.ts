import type { AnyEnvironment } from '../../environments/environment.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { SampledBatch } from './collectRequest.ts';

// Probability of the right answer under the policy before each turn: sequences to evaluate, and groups with results.

/** Sequence that ends with the right answer. */
export interface Question {
  readonly tokens: readonly number[];
  /** Number of its last tokens that are the answer. */
  readonly answer: number;
}

/** Distinct questions of a batch, and the question of each turn. */
export interface Questions {
  readonly questions: readonly Question[];
  /** [turns of the forest] index in `questions`. */
  readonly before: Int32Array;
}

/**
 * Returns the questions of a batch: the tokens before each turn, followed by the right answer.
 * @throws {Error} if tasks of the environment do not have a single right answer
 */
export function questionsOf(environment: AnyEnvironment, batch: SampledBatch): Questions {
  const { answer } = environment;
  if (!answer) throw new Error(`tasks of the environment "${environment.name}" have no one right answer to ask about`);
  const questions: Question[] = [];
  const known = new Map<string, number>();
  const before = new Int32Array(batch.forest.parent.length).fill(-1);
  for (const { group, tokens, turnOf, turns } of batch.rollouts) {
    const right = answer(batch.tasks[group]);
    turns.forEach(({ forestTurn }, turn) => {
      const history = tokens.subarray(0, turnOf.indexOf(turn));
      const key = `${group}:${history.join()}`;
      const at =
        known.get(key) ??
        questions.push({ tokens: [...history, ...right.lead, ...right.tokens], answer: right.tokens.length }) - 1;
      known.set(key, at);
      before[forestTurn] = at;
    });
  }
  return { questions, before };
}

/**
 * Returns the batch with `answerLogProb` of each turn.
 * @param values [questions] mean log-probability of the tokens of the answer [nats]
 */
export function withAnswerProbabilities<Batch extends RolloutBatch>(
  batch: Batch,
  { before }: Questions,
  values: ArrayLike<number>,
): Batch {
  const { forest } = batch;
  const groups = batch.groups.map((group, index) => {
    const first = forest.groupOffset[index];
    // Rounding can result in a probability above 1.
    return {
      ...group,
      turns: group.turns.map((turn, at) => ({ ...turn, answerLogProb: Math.min(0, values[before[first + at]]) })),
    };
  });
  return { ...batch, groups, forest: { ...forest, groups } };
}
