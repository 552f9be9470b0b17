import type { Passed } from '../../environments/repair/evaluation.ts';
import { firstFailure, type RequestedText, repairPrompt } from '../../environments/repair/feedback.ts';
import type { RepairEnvironment } from '../../environments/repair/open.ts';
import { readTurn } from '../../environments/repair/reflection.ts';
import { REFLECTION_LIMIT, VISIBLE_TESTS } from '../../environments/repair/repairSettings.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { PROGRAM } from '../../environments/repair/vocabulary.ts';
import { defaults } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { turnTokens } from '../../training/collect/batch.ts';
import type { Start } from '../../training/collect/collector.ts';
import type { EpisodeSampler, HeldOutOptions } from '../evaluation/heldOut.ts';

// Samples the programs of a scaffold, with or without a reflection before each program.

/** Request of a program. */
export interface ProgramRequest {
  readonly task: RepairTask;
  /** Tokens of the program to refine; undefined if the program is written from the task alone. */
  readonly refines: readonly number[] | undefined;
  /** Reflection that is inserted before the program. It replaces the reflection of the policy. */
  readonly insertedReflection?: readonly number[];
}

/** A sampled program. */
export interface Sampled {
  /** Reflection before the program, written by the policy or inserted; undefined without a reflection. */
  readonly reflection: readonly number[] | undefined;
  /** Tokens of the program, including `<eos>` if present. */
  readonly program: readonly number[];
  readonly passed: Passed;
  readonly verified: number | undefined;
}

/** Settings for sampling programs. */
export interface SampleOptions extends Pick<HeldOutOptions, 'sampling'> {
  /** Type of text that a refinement prompt requests. */
  readonly requestedText: RequestedText;
  /** True if the reward model of the world scores programs. */
  readonly verifier: boolean;
}

/**
 * Samples a batch of programs. Each program follows the inserted reflection or, if a reflection is requested, the
 * reflection that the policy writes.
 */
export async function samplePrograms(
  trainer: EpisodeSampler,
  requests: readonly ProgramRequest[],
  key: number,
  options: SampleOptions,
): Promise<readonly Sampled[]> {
  const environment = trainer.environment as unknown as RepairEnvironment;
  const prompts = await Promise.all(requests.map((request) => promptOf(environment, request, options.requestedText)));
  // After an inserted reflection, the policy writes only a program. The token limit is therefore that of a first turn.
  const turns = requests.map(({ refines, insertedReflection }) => (refines && !insertedReflection ? 1 : 0));
  const sampled = await play(trainer, requests, prompts, turns, key, options);
  // If a requested reflection is missing, the reflection is empty.
  return sampled.map((sample, index) => {
    const { insertedReflection } = requests[index];
    return options.requestedText === 'program'
      ? sample
      : { ...sample, reflection: insertedReflection ?? sample.reflection ?? [] };
  });
}

/** Samples the same programs again, each after the reflection of another search of the batch. */
export async function sampleShuffled(
  trainer: EpisodeSampler,
  requests: readonly ProgramRequest[],
  written: readonly Sampled[],
  key: number,
  options: SampleOptions,
): Promise<readonly Sampled[]> {
  const order = new CounterRandom(trainer.seed, STREAMS.evaluation, 0xd0000000 + key).permutation(requests.length);
  const reflections: (readonly number[])[] = [];
  for (const [at, index] of order.entries()) {
    // The inserted reflection is at most as long as the longest readable reflection.
    reflections[index] = (written[order[(at + 1) % order.length]].reflection ?? []).slice(0, REFLECTION_LIMIT - 1);
  }
  const shuffledRequests = requests.map((request, index) => ({ ...request, insertedReflection: reflections[index] }));
  return samplePrograms(trainer, shuffledRequests, key, options);
}

/** Samples one turn after each prompt. @param turns [requests] index of the turn in its episode, from 0 */
async function play(
  trainer: EpisodeSampler,
  requests: readonly ProgramRequest[],
  prompts: readonly (readonly number[])[],
  turns: readonly number[],
  key: number,
  { sampling, verifier }: SampleOptions,
): Promise<readonly Sampled[]> {
  const environment = trainer.environment as unknown as RepairEnvironment;
  const usual = defaults(environment.controls);
  const controls = verifier ? { ...usual, outcomeReward: 'model' } : usual;
  const single = { mode: 'evaluate', maxTurns: 1 } as const;
  const tasks = requests.map(({ task }) => task);
  const starts = tasks.map(
    (task, index): Start => ({
      ...{ task, tokens: prompts[index], turn: turns[index] },
      episode: environment.begin(task, controls, single),
    }),
  );
  const { groups, rollouts } = await trainer.play(tasks, key, { sampling, controls, play: single, starts });
  return rollouts.map((rollout, index) => {
    const { reflection, program } = readTurn(turnTokens(rollout, 0).written);
    const [{ passed }] = groups[index].turns;
    const { modelReward } = rollout.turns[0].facts;
    return { reflection, program, passed: passed as Passed, verified: verifier ? modelReward : undefined };
  });
}

/** Returns the prompt of the task, or the prompt after a failed program with the first visible test that fails. */
async function promptOf(
  { runner }: RepairEnvironment,
  { task, refines, insertedReflection }: ProgramRequest,
  requestedText: RequestedText,
) {
  if (!refines) return task.prompt;
  const evaluation = await runner.judgeProgram(task, refines);
  const failure = firstFailure(evaluation, VISIBLE_TESTS);
  if (failure === undefined)
    throw new RangeError('a program that passes all visible tests has no feedback for a refinement');
  const prompt = repairPrompt(task, evaluation, failure, requestedText);
  return insertedReflection ? [...prompt, ...insertedReflection, PROGRAM] : prompt;
}
