import { mean } from '../../credit/arithmetic/normalize.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { addToTurns } from '../../rollouts/rolloutBatch.ts';
import { answerProbabilities, type Question } from '../update/logProbabilities.ts';
import type { SampledBatch } from './collector.ts';
import { type ContinuationSampler, continuations, histories } from './continuations.ts';

// Fields of turns that only some rules read. A value of a state is the mean return of continuations that the policy
// samples from the state. The probability of the right answer is that under the policy before the turn.

/** First key of the draws, number of keys per batch, and number of batches before the keys repeat. */
const KEYS = 0x2000_0000;
const KEYS_A_BATCH = 0x100;
const BATCHES = 0x10_0000;

/** Measurer that samples the continuations. */
interface ValueSampler extends ContinuationSampler {
  readonly environment: AnyEnvironment;
  readonly controls: ParameterValues;
}

/**
 * Returns the batch with `stateValue` of each turn: the mean return of `vineContinuations` continuations from before
 * the turn, with the discount `vineGamma` per turn. Rollouts with equal first turns share these values.
 * @param key number of the batch
 */
export async function estimateStateValues<Batch extends SampledBatch>(
  sampler: ValueSampler,
  batch: Batch,
  key: number,
): Promise<Batch> {
  const { environment, controls } = sampler;
  const groupHistories = await Promise.all(
    batch.groups.map((_, group) => histories(environment, batch.tasks[group], controls, batch, group)),
  );
  const returns = await continuations(sampler, {
    starts: groupHistories.flatMap(({ starts }) => starts),
    count: controls.vineContinuations as number,
    counts: { kind: 'outcome', gamma: controls.vineGamma as number, bonus: 0 },
    sequences: environment.freshPrompts ? environment.maxTurns : 1,
    key: KEYS + (key % BATCHES) * KEYS_A_BATCH,
  });
  const stateValue = new Float64Array(batch.forest.parent.length);
  let first = 0;
  groupHistories.forEach(({ starts, before }, group) => {
    const trajectories = batch.trajectories.filter((trajectory) => trajectory.group === group);
    trajectories.forEach(({ turns }, rollout) => {
      turns.forEach(({ forestTurn }, turn) => {
        stateValue[forestTurn] = mean(returns[first + before[rollout][turn]]);
      });
    });
    first += starts.length;
  });
  return addToTurns(batch, (turn) => ({ stateValue: stateValue[turn] }));
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
 * Returns the batch with `answerLogProb` of each turn: the mean log-probability of the tokens of the right answer [nats].
 */
export async function addAnswerProbabilities<Batch extends SampledBatch>(
  engine: Engine,
  environment: AnyEnvironment,
  batch: Batch,
): Promise<Batch> {
  const { questions, before } = questionsOf(environment, batch);
  const values = await answerProbabilities(engine, questions);
  // Rounding can result in a probability above 1.
  return addToTurns(batch, (turn) => ({ answerLogProb: Math.min(0, values[before[turn]]) }));
}
