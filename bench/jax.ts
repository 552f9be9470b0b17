import { openJax } from './jaxDevice.ts';
import { jaxGeneration } from './jaxGeneration.ts';
import { LINEAR } from './jaxNetwork.ts';
import { jaxTrainingStep } from './jaxTraining.ts';
import { clocked, type GpuCounts, pairedTimes } from './measure.ts';
import { trainedTokens, type Workload } from './workload.ts';

/** One side's training step on the workload's lessons. */
export interface StepFigures {
  readonly ms: number;
  /** Tokens of real sequences; padding is not counted. */
  readonly tokensPerSecond: number;
  readonly counts: GpuCounts;
  /** Loss and gradient norm of the first steps, to show that both sides do the same. */
  readonly trace: readonly StepResult[];
}

export interface StepResult {
  readonly loss: number;
  readonly gradientNorm: number;
}

/** Largest relative difference of loss and gradient norm at which two sides do the same work. */
export const AGREEMENT = 1e-3;

/** Largest difference between two traces, relative to the second; numbers below 0.01 count as 0.01. */
export function disagreementOf(ours: readonly StepResult[], theirs: readonly StepResult[]): number {
  const relative = (a: number, b: number) => Math.abs(a - b) / Math.max(Math.abs(b), 0.01);
  const differences = ours.flatMap(({ loss, gradientNorm }, step) => [
    relative(loss, theirs[step].loss),
    relative(gradientNorm, theirs[step].gradientNorm),
  ]);
  return differences.reduce((largest, value) => (value <= largest ? largest : value), 0);
}

/** One side's generation of the workload's turns. */
export interface GenerationFigures {
  readonly ms: number;
  /** Tokens that the policy wrote in the batch; what is computed after a stop token is not counted. */
  readonly tokensPerSecond: number;
  readonly dispatchesPerPosition: number;
}

/** Both sides on the same work, measured alternately. */
export interface Comparison {
  readonly step: StepFigures;
  readonly generation: GenerationFigures;
  readonly jax: {
    readonly step: StepFigures & { readonly paddedTokens: number; readonly products: string };
    readonly generation: GenerationFigures;
  };
  /** Medians over the rounds of jax-js's time over ours. */
  readonly ratios: { readonly training: number; readonly generation: number };
}

/** Our side. */
export interface Side {
  /** A training step on the workload's lessons. */
  readonly step: () => Promise<StepResult>;
  /** Generates the workload's batch; gives the milliseconds. */
  readonly generate: () => Promise<number>;
  readonly dispatchesPerPosition: number;
}

type Count = (run: () => Promise<unknown>) => Promise<GpuCounts>;

/** Steps whose loss and gradient norm are compared; they warm up too. */
const TRACED = 3;

/**
 * Times our side and jax-js on the same adapter.
 * @param products ways of writing jax-js's matrix products to try; the fastest one counts
 */
export async function compareWithJax(
  gpu: GPU,
  workload: Workload,
  products: readonly (keyof typeof LINEAR)[],
  ours: Side,
  repeats: number,
  count: Count,
): Promise<Comparison> {
  await openJax(gpu);
  const tokens = trainedTokens(workload.lessons);
  const perSecond = (amount: number, ms: number) => (1000 * amount) / ms;
  const trace = await traced(ours.step);
  const counts = await count(ours.step);
  const candidates = [];
  for (const form of products) {
    const { step, paddedTokens } = jaxTrainingStep(workload, LINEAR[form]);
    const theirs = { trace: await traced(step), counts: await count(step), paddedTokens, products: form };
    const times = await pairedTimes(
      repeats,
      () => clocked(ours.step),
      () => clocked(step),
    );
    candidates.push({ times, theirs });
  }
  const { times, theirs } = candidates.reduce((best, candidate) =>
    candidate.times.ratio < best.times.ratio ? candidate : best,
  );
  const { generate, positions } = jaxGeneration(workload);
  const generation = await pairedTimes(repeats, ours.generate, () => clocked(generate));
  const { policyTokens } = workload.batch;
  const { dispatches } = await count(generate);
  return {
    step: { ms: times.ours, tokensPerSecond: perSecond(tokens, times.ours), counts, trace },
    generation: {
      ms: generation.ours,
      tokensPerSecond: perSecond(policyTokens, generation.ours),
      dispatchesPerPosition: ours.dispatchesPerPosition,
    },
    jax: {
      step: { ms: times.theirs, tokensPerSecond: perSecond(tokens, times.theirs), ...theirs },
      generation: {
        ms: generation.theirs,
        tokensPerSecond: perSecond(policyTokens, generation.theirs),
        dispatchesPerPosition: dispatches / positions,
      },
    },
    ratios: { training: times.ratio, generation: generation.ratio },
  };
}

async function traced(step: () => Promise<StepResult>): Promise<StepResult[]> {
  const trace: StepResult[] = [];
  for (let i = 0; i < TRACED; i++) trace.push(await step());
  return trace;
}
