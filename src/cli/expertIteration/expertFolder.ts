import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Attempt, Expert } from '../../training/expertIteration/relabel.ts';
import { reason, UsageError } from '../framework/errors.ts';
import { show } from '../framework/policyFiles.ts';

// Folder of an expert iteration: the requested settings, the results, and the programs, verifier and policy of each
// iteration. Existing files are reused.

/** Settings that determine all files of a folder. */
export interface ExpertPlan {
  readonly settings: ParameterValues;
  /** SHA-256 of the policy from which each iteration trains, and of a provided verifier. */
  readonly start: string;
  readonly verifier?: string;
  readonly expert: Expert;
  readonly samples: number;
  readonly turns: number;
  readonly temperature: number;
  readonly verifierSteps: number;
  readonly epochs: number;
  readonly learningRate: number;
  readonly seed: number;
  /** Size of the measurement: episodes per held-out problem, problems (0 for all), programs per search. */
  readonly episodes: number;
  readonly problems: number;
  readonly budget: number;
}

/** Shares of held-out problems that are solved according to hidden tests, 0 to 1. */
export interface SolvedRates {
  /** Share solved by the first program, and by the last program of attempts with feedback. */
  readonly first: number;
  readonly last: number;
  /**
   * Share solved by the best of several independent programs, selected by visible tests, or by these and then the
   * verifier.
   */
  readonly byTests: number;
  readonly byVerifier: number;
}

/** Results of an iteration. */
export interface IterationRow {
  /** Number of programs sampled in this iteration, and the share of them that pass all tests. */
  readonly programs: number;
  readonly right: number;
  /** Number of training problems with a best program so far, and the share of these programs that pass all tests. */
  readonly problems: number;
  readonly bestRight: number;
  /** Number of relabelled turns, including earlier iterations. */
  readonly examples: number;
  /** Mean imitation loss of the first and the last ten steps [nats]. */
  readonly loss: readonly [number, number];
  /** Rates of the sampled policy and of the trained policy, both with the verifier of this iteration. */
  readonly before: SolvedRates;
  readonly after: SolvedRates;
}

/** Content of expert-iteration.json. */
export interface ExpertState {
  readonly plan: ExpertPlan;
  readonly iterations: readonly IterationRow[];
}

/** Returns the files of a folder, by their names in messages and outputs. */
export function expertFiles(folder: string, iterations: number): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: iterations }, (_, index) => index + 1);
  const entries = numbers.flatMap((number) =>
    [`attempts-${number}.jsonl`, `verifier-${number}.safetensors`, `policy-${number}.safetensors`].map((name) => [
      name.split('.')[0],
      join(folder, name),
    ]),
  );
  return { state: join(folder, 'expert-iteration.json'), ...Object.fromEntries(entries) };
}

/**
 * Creates the folder if it does not exist, and reads the state of the iteration.
 * @throws {UsageError} if the folder has foreign files or the files of another plan
 */
export function openExpertFolder(folder: string, files: Readonly<Record<string, string>>, plan: ExpertPlan) {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--out: the folder ${folder} cannot be created (${reason(error)})`);
  }
  if (!existsSync(files.state)) {
    const foreign = Object.values(files).find((file) => existsSync(file));
    if (foreign === undefined) return { plan, iterations: [] };
    throw new UsageError(`--out: ${show(foreign)} exists without ${show(files.state)}; use another folder`);
  }
  const state = readState(files.state);
  const known = state.plan as unknown as Readonly<Record<string, unknown>>;
  const changed = Object.entries(plan).find(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name]));
  const removed = Object.keys(known).find((name) => !(name in plan));
  const differs = changed?.[0] ?? removed;
  if (differs === undefined) return state;
  const formatValue = (value: unknown) => JSON.stringify(value) ?? 'none';
  throw new UsageError(
    `--out: ${show(files.state)} has another "${differs}" (${formatValue(known[differs])}, not ` +
      `${formatValue((plan as unknown as typeof known)[differs])}); use another folder`,
  );
}

function readState(file: string): ExpertState {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof state.plan === 'object' && state.plan && Array.isArray(state.iterations)) return state;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new UsageError(`--out: ${show(file)} cannot be read (${reason(error)})`);
  }
  throw new UsageError(`--out: ${show(file)} is not a state file of expert-iteration; use another folder`);
}

/** Formats attempts as lines of JSON. */
export function attemptLines(attempts: readonly Attempt[]): string {
  const line = ({ task, score, before, written, tokens }: Attempt) =>
    `${JSON.stringify({ task, score, before, written, tokens })}\n`;
  return attempts.map(line).join('');
}

/**
 * Reads attempts from lines of JSON.
 * @throws {UsageError} with the file and the line
 */
export function readAttempts(file: string): readonly Attempt[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    try {
      const read: Attempt = JSON.parse(line);
      const lists = [read.before, read.written, read.tokens];
      const isValid = lists.every((tokens) => tokens.length > 0 && tokens.every(Number.isInteger));
      if (isValid && Number.isInteger(read.task) && read.score >= 0 && read.score <= 1) return read;
    } catch {
      // The error is reported below, like any other error in the line.
    }
    throw new UsageError(`${show(file)}, line ${index + 1}: not an attempt; remove the file to make it again`);
  });
}
