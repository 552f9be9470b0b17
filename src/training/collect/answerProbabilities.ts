import type { AnyEnvironment } from '../../environments/environment.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { SampledBatch } from './collectRequest.ts';

// Beliefs of the policy about the right answer before each turn: tokens of the questions, and groups that hold the
// results.

/** A sequence that ends with the right answer. */
export interface Question {
  readonly tokens: readonly number[];
  /** Its last tokens that are the answer. */
  readonly answer: number;
}

/** Questions of a batch, each once, and the question before each turn. */
export interface Questions {
  readonly questions: readonly Question[];
  /** [turns of the forest] index in `asked`. */
  readonly before: Int32Array;
}

/**
 * The right answer put behind everything that the policy had seen before each turn.
 * @throws {Error} for an environment whose tasks have no one right answer
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
 * Returns the batch with the results.
 * @param values [asked] mean log-probability of the answer's tokens, nats
 */
export function withAnswerProbabilities<Batch extends RolloutBatch>(
  batch: Batch,
  { before }: Questions,
  values: ArrayLike<number>,
): Batch {
  const { forest } = batch;
  const groups = batch.groups.map((group, index) => {
    const first = forest.groupOffset[index];
    // A probability of 1 may come out above it by rounding.
    return {
      ...group,
      turns: group.turns.map((turn, at) => ({ ...turn, answerLogProb: Math.min(0, values[before[first + at]]) })),
    };
  });
  return { ...batch, groups, forest: { ...forest, groups } };
}
