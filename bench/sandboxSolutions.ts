import { readFileSync } from 'node:fs';
import { UsageError } from '../src/cli/framework/errors.ts';
import { createNodeSource } from '../src/sandbox/host/node.ts';
import { Sandbox } from '../src/sandbox/sandbox.ts';
import { type Job, LIMITS } from '../src/sandbox/types.ts';

/** A problem of a public benchmark of functions, in the layout of HumanEval.jsonl. */
interface Problem {
  readonly task_id: string;
  /** The function's head and docstring. */
  readonly prompt: string;
  /** Its body. */
  readonly canonical_solution: string;
  /** Defines `check(candidate)`, which asserts. */
  readonly test: string;
  readonly entry_point: string;
}

const FIELDS = ['task_id', 'prompt', 'canonical_solution', 'test', 'entry_point'] as const;
/** A check calls its solution many times; they count as one test. */
const FUEL = 20 * LIMITS.fuel;

/** @throws with line and field where a file is not of the layout */
export function readSolutions(text: string): Problem[] {
  const problems = text.split(/\r?\n/).flatMap((line, i) => {
    if (line.trim() === '') return [];
    let value: Record<string, unknown>;
    try {
      value = JSON.parse(line);
    } catch (error) {
      throw new Error(`line ${i + 1}: ${(error as Error).message}`);
    }
    for (const field of FIELDS) {
      if (typeof value?.[field] !== 'string') throw new Error(`line ${i + 1}: ${field} must be a string`);
    }
    if (!/^[A-Za-z_]\w*$/.test(value.entry_point as string)) {
      throw new Error(`line ${i + 1}: entry_point "${value.entry_point}" names no function`);
    }
    return [value as unknown as Problem];
  });
  if (problems.length === 0) throw new Error('there is no problem in the file');
  return problems;
}

/** The job of running a solution's own check: it passes when the check comes to its end. */
export function solutionJob({ prompt, canonical_solution, test, entry_point }: Problem): Job {
  const program = `${prompt}${canonical_solution}\n${test}\n\ndef run_check():\n    check(${entry_point})\n    return True\n`;
  return { program, entry: 'run_check', tests: [{ args: [], expected: true }], limits: { fuel: FUEL } };
}

/**
 * Runs the solutions of a file and prints how many pass, and what became of the others.
 * @returns the exit code, 1 where some do not pass
 * @throws {UsageError} for a bad file
 */
export async function checkSolutions(path: string): Promise<number> {
  let problems: Problem[];
  try {
    problems = readSolutions(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
  const sandbox = new Sandbox(createNodeSource());
  const results = await sandbox.run(problems.map(solutionJob));
  const { replaced, violations } = sandbox.statistics;
  sandbox.close();
  problems.forEach(({ task_id }, i) => {
    const { status, tests } = results[i];
    if (status === 'passed') return;
    const { type = '', message = '', line } = tests[0].error ?? {};
    console.log(`${task_id}: ${status} ${type} ${message}${line === undefined ? '' : `, line ${line}`}`);
  });
  const passed = results.filter(({ status }) => status === 'passed').length;
  const above = results.filter(({ fuel }) => fuel > LIMITS.fuel).length;
  console.log(
    `${passed} of ${problems.length} solutions pass their checks; ${above} take more than ${LIMITS.fuel} steps`,
  );
  console.log(`workers replaced: ${replaced}, violations: ${violations}`);
  return passed === problems.length ? 0 : 1;
}
