import type { Passed } from '../../environments/repair/evaluation.ts';
import { firstFailure, type RequestedText, repairPrompt } from '../../environments/repair/feedback.ts';
import { readTurn } from '../../environments/repair/reflection.ts';
import type { RepairEnvironment } from '../../environments/repair/repairEnvironment.ts';
import { REFLECTION_LIMIT } from '../../environments/repair/repairSettings.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { VISIBLE_TESTS } from '../../environments/repair/testChoice.ts';
import { PROGRAM } from '../../environments/repair/vocabulary.ts';
import { defaults } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Start } from '../../training/collect/collectRequest.ts';
import { turnTokens } from '../../training/collect/turnTokens.ts';
import type { EpisodeSampler, HeldOutOptions } from '../compare/heldOutEvaluation.ts';

// Sampling of programs while a scaffold runs: programs alone, or after a reflection of the policy or of another search.

/** A program that is about to be sampled. */
export interface ProgramRequest {
  readonly task: RepairTask;
  /** The program that it refines; undefined where it begins from the task alone. */
  readonly refines: readonly number[] | undefined;
  /** Reflection that is put before the program in place of a reflection of the policy. */
  readonly insertedReflection?: readonly number[];
}

/** A sampled program. */
export interface Sampled {
  /** Reflection before the program, written by the policy or put there. */
  readonly reflection: readonly number[] | undefined;
  /** With `<eos>` where it has it. */
  readonly program: readonly number[];
  readonly passed: Passed;
  readonly verified: number | undefined;
}

/** Settings for sampling programs. */
export interface SampleOptions extends Pick<HeldOutOptions, 'sampling'> {
  /** Type of output that is requested for refinements. */
  readonly requestedText: RequestedText;
  /** True if the reward model of the world scores programs. */
  readonly verifier: boolean;
}

/**
 * Samples a batch of programs. Each program follows the reflection that is put there or, if a reflection is requested,
 * the reflection that the policy writes.
 */
export async function samplePrograms(
  trainer: EpisodeSampler,
  requests: readonly ProgramRequest[],
  key: number,
  options: SampleOptions,
): Promise<readonly Sampled[]> {
  const environment = trainer.environment as unknown as RepairEnvironment;
  const prompts = await Promise.all(requests.map((request) => promptOf(environment, request, options.requestedText)));
  // Behind a reflection the program alone is left to write: as many tokens as in a first turn.
  const turns = requests.map(({ refines, insertedReflection }) => (refines && !insertedReflection ? 1 : 0));
  const sampled = await play(trainer, requests, prompts, turns, key, options);
  // If a turn has no reflection although one was requested, its reflection is empty.
  return sampled.map((sample, index) => {
    const { insertedReflection } = requests[index];
    return options.requestedText === 'program'
      ? sample
      : { ...sample, reflection: insertedReflection ?? sample.reflection ?? [] };
  });
}

/** Samples the same programs again, each after the reflection of another search. */
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
    // The room is limited to the longest reflection that can be read.
    reflections[index] = (written[order[(at + 1) % order.length]].reflection ?? []).slice(0, REFLECTION_LIMIT - 1);
  }
  const shuffledRequests = requests.map((request, index) => ({ ...request, insertedReflection: reflections[index] }));
  return samplePrograms(trainer, shuffledRequests, key, options);
}

/** Samples a turn after each of these prompts. @param turns [requests] index of the turn in its episode, from 0 */
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

/** The task's own prompt, or that of the turn after a program, with the first visible test that this fails. */
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
