import { changeBetween, reflectionTokens } from '../../environments/repair/reflection.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { type AttemptedProgram, FRESH, passes } from './scaffold.ts';

// A memory of solved tasks, as in DoT-bank (Lingam et al. 2025, ICLR; `dot_bank.py` of the authors' code). They keep the prompt, the
// program that failed, its tests, the reflection and the program that passed, and show the nearest such trajectory as an example
// in the prompt of another task. A context of 139 has no room for one, so what is shown of it is the change that solved the
// task, in place of the policy's own reflection.

/** Data that is remembered of a task that was solved. */
export interface Experience {
  /** Number of the task. */
  readonly task: number;
  /** Tokens of the prompt and the failed program, with which another task is compared. */
  readonly tokens: readonly number[];
  /** Change that turned that program into one that passes all visible tests, in the form of a reflection. */
  readonly reflection: readonly number[];
}

/**
 * Returns the experiences to remember of a search: the change that led from a failed program to the program that passes
 * all visible tests.
 */
export function experienceOf({
  task,
  attempts,
  programs,
}: {
  readonly task: Pick<RepairTask, 'id' | 'prompt'>;
  readonly attempts: readonly AttemptedProgram[];
  /** [tried] without `<eos>`. */
  readonly programs: readonly (readonly number[])[];
}): readonly Experience[] {
  const solved = attempts.findIndex(passes);
  // A first program that passes repairs no other program.
  if (solved < 0 || attempts[solved].parent === FRESH) return [];
  const failed = programs[attempts[solved].parent];
  const reflection = reflectionTokens(changeBetween(failed, programs[solved]));
  return [{ task: task.id, tokens: [...task.prompt, ...failed], reflection }];
}

/**
 * The reflection of the experience that is nearest to a failed program: by the cosine of counts of tokens, over prompt and
 * program, where the paper takes embeddings. Of experiences as near it is the first one.
 * @param predicate true for an allowed reflection @returns undefined if the bank has none from another task
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
