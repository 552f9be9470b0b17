import { readFileSync } from 'node:fs';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { type Job, LIMITS } from '@turnwise/python-sandbox/types';
import { UsageError } from '../src/cli/framework/errors.ts';

/** Problem of a public benchmark, in the layout of HumanEval.jsonl. */
interface Problem {
  readonly task_id: string;
  /** Head and docstring of the function. */
  readonly prompt: string;
  /** Body of the function. */
  readonly canonical_solution: string;
  /** Code that defines `check(candidate)`, which has assertions. */
  readonly test: string;
  readonly entry_point: string;
}

const FIELDS = ['task_id', 'prompt', 'canonical_solution', 'test', 'entry_point'] as const;
/** Fuel of a check. The limit is higher than for a unit test, because a check calls its solution many times. */
const FUEL = 20 * LIMITS.fuel;

/** Parses a file of problems. @throws {Error} with line and field if the file has another layout */
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

/** Returns a job that runs the check of a solution. It passes if the check ends without an error. */
export function solutionJob({ prompt, canonical_solution, test, entry_point }: Problem): Job {
  const program = `${prompt}${canonical_solution}\n${test}\n\ndef run_check():\n    check(${entry_point})\n    return True\n`;
  return { program, entry: 'run_check', tests: [{ args: [], expected: true }], limits: { fuel: FUEL } };
}

/**
 * Runs the solutions of a file, and prints the number of solutions that pass and the errors of the others.
 * @returns exit code: 1 if a solution does not pass
 * @throws {UsageError} for an invalid file
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
