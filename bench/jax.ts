import { openJax } from './jaxDevice.ts';
import { jaxGeneration } from './jaxGeneration.ts';
import { LINEAR } from './jaxNetwork.ts';
import { jaxTrainingStep } from './jaxTraining.ts';
import { type GpuCounts, median, times } from './measure.ts';
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

/** One side's generation of the workload's turns. */
export interface GenerationFigures {
  readonly ms: number;
  /** Tokens that the policy wrote in the batch; what is computed after a stop token is not counted. */
  readonly tokensPerSecond: number;
  readonly dispatchesPerPosition: number;
}

export interface JaxFigures {
  readonly step: StepFigures & { readonly paddedTokens: number; readonly products: string };
  readonly generation: GenerationFigures;
}

type Count = (run: () => Promise<unknown>) => Promise<GpuCounts>;

/** Steps whose loss and gradient norm are compared. */
const TRACED = 3;

/** Times a training step, after the traced steps, which are its warm-up. */
export async function measureStep(
  step: () => Promise<StepResult>,
  workload: Workload,
  repeats: number,
  count: Count,
): Promise<StepFigures> {
  const trace: StepResult[] = [];
  for (let i = 0; i < TRACED; i++) trace.push(await step());
  const ms = median(await times(0, repeats, step));
  return { ms, tokensPerSecond: (1000 * trainedTokens(workload.lessons)) / ms, counts: await count(step), trace };
}

/**
 * The same work in jax-js, on the same adapter.
 * @param products ways of writing the matrix products to try; the fastest one counts
 */
export async function measureJax(
  gpu: GPU,
  workload: Workload,
  products: readonly (keyof typeof LINEAR)[],
  repeats: number,
  count: Count,
): Promise<JaxFigures> {
  await openJax(gpu);
  const candidates: JaxFigures['step'][] = [];
  for (const form of products) {
    const { step, paddedTokens } = jaxTrainingStep(workload, LINEAR[form]);
    candidates.push({ ...(await measureStep(step, workload, repeats, count)), paddedTokens, products: form });
  }
  const { generate, positions } = jaxGeneration(workload);
  const ms = median(await times(1, repeats, generate));
  const { dispatches } = await count(generate);
  return {
    step: candidates.reduce((best, other) => (other.ms < best.ms ? other : best)),
    generation: {
      ms,
      tokensPerSecond: (1000 * workload.batch.policyTokens) / ms,
      dispatchesPerPosition: dispatches / positions,
    },
  };
}
