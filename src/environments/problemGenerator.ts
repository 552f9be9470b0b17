import type { ParameterValues } from '../parameters/parameters.ts';
import type { EnvironmentName } from './registry.ts';
import type { Execute } from './shared/execution.ts';

/** Generates and measures the shipped problems of an environment. `problemGenerator.ts` of its folder exports it. */
export interface ProblemGenerator {
  /**
   * The text of the file of problems, and how many there are.
   * @param progress called with the number of finished problems
   */
  record(
    execute: Execute,
    seed: number,
    progress: (done: number, all: number) => void,
  ): Promise<{ readonly file: string; readonly count: number }>;
  /** Measures of the shipped problems and their demonstrations, under settings of the environment. */
  measure(execute: Execute, settings: ParameterValues): Promise<object>;
}

/** Loads the maker of an environment that ships problems (EnvironmentDescriptor.shipsProblems). */
export async function loadProblemGenerator(name: EnvironmentName): Promise<ProblemGenerator> {
  const { problemGenerator } = (await import(`./${name}/problemGenerator.ts`)) as {
    problemGenerator: ProblemGenerator;
  };
  return problemGenerator;
}
