import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Attempt, Expert } from '../../training/expertIteration/relabel.ts';
import { reason, UsageError } from '../framework/errors.ts';
import { show } from '../framework/policyFiles.ts';

// The folder of an expert iteration: the requested settings and the results, and of each iteration the programs, the
// verifier and the policy. Files that exist already are not made again.

/** Settings that decide everything in a folder. */
export interface ExpertPlan {
  readonly settings: ParameterValues;
  /** SHA-256 of the policy that every iteration trains from, and of a verifier that was given. */
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
  /** Of the measurement: episodes of each held-out problem, problems (0 for all), programs of a search. */
  readonly episodes: number;
  readonly problems: number;
  readonly budget: number;
}

/** Shares of held-out problems that are solved, by hidden tests. */
export interface SolvedRates {
  /** By the first program, and by the last one of attempts with feedback. */
  readonly first: number;
  readonly last: number;
  /** By the best of independent programs: by visible tests alone, and by these and then the verifier. */
  readonly byTests: number;
  readonly byVerifier: number;
}

/** Results of an iteration. */
export interface IterationRow {
  /** Of this iteration: programs that were sampled, and the share of them that pass all tests. */
  readonly programs: number;
  readonly right: number;
  /** Training problems that have a best program by now, and the share of these programs that pass all tests. */
  readonly problems: number;
  readonly bestRight: number;
  /** Relabelled turns, those of earlier iterations included. */
  readonly examples: number;
  /** Mean imitation loss of the first and the last ten steps, nats. */
  readonly loss: readonly [number, number];
  /** The policy that was sampled from, and the one that came of it; both with the verifier of this iteration. */
  readonly before: SolvedRates;
  readonly after: SolvedRates;
}

/** expert-iteration.json */
export interface ExpertState {
  readonly plan: ExpertPlan;
  readonly iterations: readonly IterationRow[];
}

/** The files of a folder, by what messages and outputs call them. */
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
 * Makes the folder where it is not there, and reads how far it is.
 * @throws {UsageError} where it holds something else, or what was made by another plan
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

/** Attempts as lines of JSON. */
export function attemptLines(attempts: readonly Attempt[]): string {
  const line = ({ task, score, before, written, tokens }: Attempt) =>
    `${JSON.stringify({ task, score, before, written, tokens })}\n`;
  return attempts.map(line).join('');
}

/** @throws {UsageError} naming file and line */
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
