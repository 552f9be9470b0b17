import { changeBetween, reflectionTokens } from '../../environments/repair/reflection.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { type AttemptedProgram, FRESH, passes } from './scaffold.ts';

// Memory of solved tasks, as in DoT-bank (Lingam et al. 2025, ICLR; `dot_bank.py` of the authors' code). Changed: the
// authors store the prompt, the failed program, its tests, the reflection and the program that passes. They insert the
// nearest such trajectory as an example in the prompt of another task. A context of 139 tokens is too short for an
// example. Here, the change that solved the task replaces the policy's reflection.

/** Stored data of a solved task. */
export interface Experience {
  /** ID of the task. */
  readonly task: number;
  /** Tokens of the prompt and of the failed program, which are compared with another task. */
  readonly tokens: readonly number[];
  /** Change from the failed program to a program that passes all visible tests, in the form of a reflection. */
  readonly reflection: readonly number[];
}

/**
 * Returns the experience of a solved search: the change from a failed program to the program that passes all visible
 * tests. Returns an empty list if the search has no such change.
 */
export function experienceOf({
  task,
  attempts,
  programs,
}: {
  readonly task: Pick<RepairTask, 'id' | 'prompt'>;
  readonly attempts: readonly AttemptedProgram[];
  /** [attempts] tokens of the programs, without `<eos>`. */
  readonly programs: readonly (readonly number[])[];
}): readonly Experience[] {
  const solved = attempts.findIndex(passes);
  // A first program that passes repairs no earlier program.
  if (solved < 0 || attempts[solved].parent === FRESH) return [];
  const failed = programs[attempts[solved].parent];
  const reflection = reflectionTokens(changeBetween(failed, programs[solved]));
  return [{ task: task.id, tokens: [...task.prompt, ...failed], reflection }];
}

/**
 * Returns the reflection of the experience that is nearest to a failed program. The similarity is the cosine of the
 * token counts of prompt and program; the paper uses embeddings. Of equally near experiences, the first is used.
 * @param predicate returns true for an allowed reflection
 * @returns undefined if the bank has no allowed reflection of another task
 */
export function retrieveReflection(
  bank: readonly Experience[],
  { task, program }: { readonly task: Pick<RepairTask, 'id' | 'prompt'>; readonly program: readonly number[] },
  predicate: (reflection: readonly number[]) => boolean,
): readonly number[] | undefined {
  const tokens = [...task.prompt, ...program];
  const candidates = bank.filter((experience) => experience.task !== task.id && predicate(experience.reflection));
  const near = candidates.map((experience) => cosine(counts(experience.tokens), counts(tokens)));
  return candidates[near.indexOf(Math.max(...near))]?.reflection;
}

function counts(tokens: readonly number[]): ReadonlyMap<number, number> {
  const result = new Map<number, number>();
  for (const token of tokens) result.set(token, (result.get(token) ?? 0) + 1);
  return result;
}

function cosine(first: ReadonlyMap<number, number>, second: ReadonlyMap<number, number>): number {
  const product = (a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>) =>
    [...a].reduce((sum, [token, count]) => sum + count * (b.get(token) ?? 0), 0);
  return product(first, second) / Math.sqrt(product(first, first) * product(second, second));
}
