import { openJax } from './jaxDevice.ts';
import { jaxGeneration } from './jaxGeneration.ts';
import { LINEAR } from './jaxNetwork.ts';
import { jaxTrainingStep } from './jaxTraining.ts';
import { clocked, type GpuCounts, pairedTimes } from './measure.ts';
import { trainedTokens, type Workload } from './workload.ts';

/** Measurements of one side's training step on the lessons of the workload. */
export interface StepFigures {
  readonly ms: number;
  /** Tokens of sequences without padding. */
  readonly tokensPerSecond: number;
  readonly counts: GpuCounts;
  /** Loss and gradient norm of the first steps, which show that both sides compute the same update. */
  readonly trace: readonly StepResult[];
}

export interface StepResult {
  readonly loss: number;
  readonly gradientNorm: number;
}

/** Maximum relative difference of loss and gradient norm at which two sides count as equal. */
export const AGREEMENT = 1e-3;

/** Returns the largest difference of two traces, relative to the second. A divisor is at least 0.01. */
export function disagreementOf(ours: readonly StepResult[], theirs: readonly StepResult[]): number {
  const relative = (a: number, b: number) => Math.abs(a - b) / Math.max(Math.abs(b), 0.01);
  const differences = ours.flatMap(({ loss, gradientNorm }, step) => [
    relative(loss, theirs[step].loss),
    relative(gradientNorm, theirs[step].gradientNorm),
  ]);
  return differences.reduce((largest, value) => (value <= largest ? largest : value), 0);
}

/** Measurements of one side's generation of the turns of the workload. */
export interface GenerationFigures {
  readonly ms: number;
  /** Tokens that the policy wrote in the batch. Tokens after a stop token are not counted. */
  readonly tokensPerSecond: number;
  readonly dispatchesPerPosition: number;
}

/** Measurements of both sides on the same work, taken alternately. */
export interface Comparison {
  readonly step: StepFigures;
  readonly generation: GenerationFigures;
  readonly jax: {
    readonly step: StepFigures & { readonly paddedTokens: number; readonly products: string };
    readonly generation: GenerationFigures;
  };
  /** Time of jax-js over the time of turnwise: medians over the rounds. */
  readonly ratios: { readonly training: number; readonly generation: number };
}

/** The side of turnwise. */
export interface Side {
  /** Makes a training step on the lessons of the workload. */
  readonly step: () => Promise<StepResult>;
  /** Generates the batch of the workload and returns the time [ms]. */
  readonly generate: () => Promise<number>;
  readonly dispatchesPerPosition: number;
}

type Count = (run: () => Promise<unknown>) => Promise<GpuCounts>;

/** Number of steps whose loss and gradient norm are compared. They are also the warm-up. */
const TRACED = 3;

/**
 * Times turnwise and jax-js on the same adapter.
 * @param products forms of the matrix product for jax-js; the comparison uses the fastest form
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
