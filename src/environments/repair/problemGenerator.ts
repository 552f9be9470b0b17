import { CounterRandom } from '../../random/counter.ts';
import type { ProblemGenerator } from '../environment.ts';
import { drawAttempt, sitePriors } from './demonstrator.ts';
import { createRepairEnvironment, type RepairEnvironment } from './open.ts';
import { recordProblems, recordsText } from './recordProblems.ts';
import { loadProblems, type Problem } from './repairTasks.ts';
import { END, FEEDBACK } from './vocabulary.ts';

/** Measurements of the demonstrations of a warm start before any training. */
export interface DemonstrationMeasures {
  readonly problems: number;
  /**
   * Share of first attempts that pass all tests. `partial` and `none` are the shares that pass some tests and no test.
   */
  readonly pass: number;
  readonly partial: number;
  readonly none: number;
  /** Mean number of tokens of a first attempt, including `<eos>`. */
  readonly meanLength: number;
  readonly longest: number;
  /** Share of groups of ten attempts with equal outcomes. */
  readonly ties: number;
  /** Share of groups of ten attempts that all pass the same tests. */
  readonly denseTies: number;
  /** Mean number of tokens of a repair with its prompt. */
  readonly meanRepair: number;
  readonly longestRepair: number;
}

const GROUP = 10;
/** Random stream that only these draws use. */
const STREAM = 0x6d656173;

/**
 * Draws and runs attempts at every problem, and draws the first steps of the warm start.
 * @param groups number of groups of ten attempts per problem
 * @param steps number of steps of the warm start
 */
export async function measureDemonstrations(
  environment: RepairEnvironment,
  problems: readonly Problem[],
  groups = 2,
  steps = 20,
): Promise<DemonstrationMeasures> {
  const { runner, settings, warmStart } = environment;
  const drawn = await Promise.all(
    problems.flatMap((problem) => {
      const prior = sitePriors(problem.family, problem.template, settings.prior, settings.worldSeed);
      return Array.from({ length: groups }, async (_, group) => {
        const random = new CounterRandom(settings.warmSeed, STREAM, problem.id * groups + group);
        const programs = Array.from({ length: GROUP }, () => drawAttempt(problem, prior, random).program);
        return Promise.all(programs.map((program) => runner.judge(problem, [...program, END])));
      });
    }),
  );
  const attempts = drawn.flat();
  const share = (holds: (passed: readonly boolean[]) => boolean) =>
    attempts.filter(({ passed }) => holds(passed)).length / attempts.length;
  const measureTies = (key: (passed: readonly boolean[]) => unknown) =>
    drawn.filter((group) => new Set(group.map(({ passed }) => key(passed))).size === 1).length / drawn.length;
  const lengths = attempts.map(({ attempt }) => attempt.length + 1);
  const repairs: number[] = [];
  for (let step = 0; step < steps; step++) {
    const examples = await warmStart[0].demonstrations(step);
    repairs.push(...examples.filter(({ tokens }) => tokens.includes(FEEDBACK)).map(({ tokens }) => tokens.length));
  }
  return {
    problems: problems.length,
    pass: share((passed) => passed.every(Boolean)),
    partial: share((passed) => passed.some(Boolean) && !passed.every(Boolean)),
    none: share((passed) => !passed.some(Boolean)),
    meanLength: mean(lengths),
    longest: Math.max(...lengths),
    ties: measureTies((passed) => passed.every(Boolean)),
    denseTies: measureTies((passed) => passed.join()),
    meanRepair: mean(repairs),
    longestRepair: Math.max(0, ...repairs),
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Problem generator of the repair environment. */
export const problemGenerator: ProblemGenerator = {
  async record(execute, seed, progress) {
    const records = await recordProblems(execute, seed, progress);
    return { file: recordsText(records), count: records.length };
  },
  async measure(execute, settings) {
    const problems = await loadProblems();
    return measureDemonstrations(createRepairEnvironment(settings, { execute, problems }), problems);
  },
};
