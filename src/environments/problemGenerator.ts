import type { ParameterValues } from '../parameters/parameters.ts';
import type { EnvironmentName } from './registry.ts';
import type { Execute } from './shared/execution.ts';

/** Generator of the shipped problems of an environment. `problemGenerator.ts` in its folder exports it. */
export interface ProblemGenerator {
  /**
   * Generates the problems.
   * @param progress called with the number of finished problems
   * @returns the text of the problem file, and the number of problems
   */
  record(
    execute: Execute,
    seed: number,
    progress: (done: number, all: number) => void,
  ): Promise<{ readonly file: string; readonly count: number }>;
  /** Measures the shipped problems and their demonstrations under settings of the environment. */
  measure(execute: Execute, settings: ParameterValues): Promise<object>;
}

/** Loads the problem generator of an environment that ships problems (EnvironmentDescriptor.shipsProblems). */
export async function loadProblemGenerator(name: EnvironmentName): Promise<ProblemGenerator> {
  const { problemGenerator } = (await import(`./${name}/problemGenerator.ts`)) as {
    problemGenerator: ProblemGenerator;
  };
  return problemGenerator;
}
