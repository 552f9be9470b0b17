import { type Passed, passesHidden } from '../../environments/repair/evaluation.ts';
import {
  changeBetween,
  matchReflection,
  type Reflection,
  type ReflectionMatch,
  readReflection,
  reflectionTokens,
} from '../../environments/repair/reflection.ts';
import { VISIBLE_TESTS } from '../../environments/repair/repairSettings.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { END } from '../../environments/repair/vocabulary.ts';
import { STREAMS, uniform } from '../../random/counter.ts';
import { drawKey, type EpisodeSampler, type HeldOutOptions } from '../evaluation/heldOut.ts';
import { repairTasks } from '../evaluation/repairEvaluation.ts';
import { type ProgramRequest, type Sampled, samplePrograms, sampleShuffled } from './samplePrograms.ts';
import { type AttemptedProgram, FRESH, passes, type Scaffold } from './scaffold.ts';

/** Settings for running a scaffold. */
export interface ScaffoldOptions extends Omit<HeldOutOptions, 'seed'> {
  /** Maximum number of programs of each search. */
  readonly budget: number;
  /** True if the world's reward model scores programs. Only the scaffold reads the scores. */
  readonly verifier: boolean;
  /**
   * Number at which the draw keys of the scaffold begin, from 1 to less than 4; multiples of 0.5 are allowed. Scaffolds
   * with the same number have the same draws as long as they request the same programs.
   */
  readonly number: number;
  /**
   * Source of the reflections before refinements: the same policy and search (`own`) or another search (`shuffled`).
   * `cached` uses `own` for the first half of the budget, then reflections of similar tasks that were solved in the
   * first half.
   */
  readonly reflections?: 'own' | 'shuffled' | 'cached';
}

/** Search for one task. */
export interface Search {
  readonly task: RepairTask;
  /** Attempts in the order in which they were sampled. */
  readonly attempts: readonly AttemptedProgram[];
  /** [attempts] true if the program passes all hidden tests. */
  readonly right: readonly boolean[];
  /** Match of each program that follows a reflection with the changes that the reflection announces. */
  readonly followed?: readonly ReflectionMatch[];
  /** Matches of the programs that follow a cached reflection of another task. */
  readonly cached?: readonly ReflectionMatch[];
}

/** Search in progress. */
interface ActiveSearch extends Search {
  readonly attempts: AttemptedProgram[];
  readonly right: boolean[];
  readonly followed: ReflectionMatch[];
  readonly cached: ReflectionMatch[];
  /** [attempts] tokens of the programs, including `<eos>` if present. */
  readonly programs: (readonly number[])[];
}

/** Request of a program for a search. */
interface Next extends ProgramRequest {
  readonly search: ActiveSearch;
  /** Index of the refined program, or FRESH. */
  readonly parent: number;
}

/** Number of draw keys per unit of ScaffoldOptions.number. The first keys belong to sequential attempts. */
const SCAFFOLD_KEYS = 0x4_0000;

/**
 * Runs `samples` searches per task in parallel. Each tick samples the next programs of all unfinished searches in full
 * batches. With the same seed, run and budget, the first programs equal those of attempts with feedback
 * (`runRepairEpisode`). All scaffolds therefore start with the same programs. Later draws are separate for each
 * scaffold number.
 * @returns all tasks of the first sample, then all tasks of the next sample; undefined if the run was stopped
 * @throws {RewardModelError} if a verifier is requested and the world has no reward model
 */
export async function runScaffold(
  trainer: EpisodeSampler,
  scaffold: Scaffold,
  options: ScaffoldOptions,
): Promise<readonly Search[] | undefined> {
  const { samples, budget, run = 0, number, signal, progress, reflections } = options;
  const pool = repairTasks(trainer, options);
  const searches = Array.from({ length: samples }, () => pool)
    .flat()
    .map((task): ActiveSearch => ({ task, attempts: [], right: [], followed: [], cached: [], programs: [] }));
  const request = { ...options, requestedText: reflections ? 'reflection' : 'program' } as const;
  // [samples] experiences of the first pass, which the second pass reads.
  let banks: readonly (readonly Experience[])[] | undefined;
  let limit = reflections === 'cached' ? Math.ceil(budget / 2) : budget;
  let nextKey = number * SCAFFOLD_KEYS;
  for (let tick = 0; ; ) {
    const requests = searches.flatMap((search, index): Next[] => {
      const { length } = search.attempts;
      if (length >= limit) return [];
      const draw = uniform(
        trainer.seed,
        0xd0000000 + drawKey(run, number * SCAFFOLD_KEYS + index),
        STREAMS.evaluation,
        length,
      );
      const next = scaffold.next(search.attempts, draw).slice(0, limit - length);
      return refinements(search, next, banks?.[Math.floor(index / pool.length)]);
    });
    if (tick > 0) progress?.(searches.filter((search) => isOver(search, scaffold, budget)).length, searches.length);
    if (requests.length === 0) {
      if (limit === budget) return searches;
      limit = budget;
      banks = Array.from({ length: samples }, (_, sample) =>
        searches
          .slice(sample * pool.length, (sample + 1) * pool.length)
          .flatMap(({ programs, ...search }) => experienceOf({ ...search, programs: programs.map(attemptOf) })),
      );
      continue;
    }
    // The first batches have the size of batches of attempts with feedback, so that the first programs have the same
    // draws.
    const size = trainer.capacityFor(tick === 0 ? budget : 1);
    for (let from = 0; from < requests.length; from += size) {
      if (signal?.aborted) return undefined;
      const key = drawKey(run, tick === 0 ? from / size : nextKey++);
      const batch = requests.slice(from, from + size);
      const written = await samplePrograms(trainer, batch, key, request);
      const again = reflections === 'shuffled' && tick > 0;
      const sampled = again ? await sampleShuffled(trainer, batch, written, drawKey(run, nextKey++), request) : written;
      for (const [index, entry] of batch.entries()) add(entry, sampled[index]);
    }
    tick++;
  }
}

function isOver({ attempts }: Search, scaffold: Scaffold, budget: number): boolean {
  return attempts.length >= budget || scaffold.next(attempts, 0).length === 0;
}

/**
 * Returns the requests of programs. A refinement gets the bank's nearest reflection that is new for the refined
 * program.
 */
function refinements(search: ActiveSearch, parents: readonly number[], bank: readonly Experience[] = []): Next[] {
  const { task, attempts, programs } = search;
  const selectedReflections: string[] = [];
  return parents.map((parent) => {
    if (parent === FRESH) return { search, parent, task, refines: undefined };
    const before = attempts.filter(
      (attempt) => attempt.parent !== FRESH && attempts[attempt.parent].program === attempts[parent].program,
    );
    const known = [...before.map(({ reflection }) => reflection), ...selectedReflections];
    const match = retrieveReflection(
      bank,
      { task, program: attemptOf(programs[parent]) },
      (candidate) => !known.includes(candidate.join()),
    );
    if (match) selectedReflections.push(match.join());
    return { search, parent, task, refines: programs[parent], ...(match ? { insertedReflection: match } : {}) };
  });
}

/** Adds a sampled program to its search. */
function add({ search, parent, insertedReflection }: Next, { reflection, program, passed, verified }: Sampled): void {
  const { programs, attempts } = search;
  attempts.push({
    ...{ parent, visible: visibleShare(passed), program: program.join() },
    ...(verified === undefined ? {} : { verified }),
    ...(parent === FRESH || !reflection ? {} : { reflection: formatReflection(readReflection(reflection)) }),
  });
  search.right.push(passesHidden(passed));
  if (parent !== FRESH && reflection) {
    const followed = matchReflection(attemptOf(programs[parent]), reflection, attemptOf(program));
    search.followed.push(followed);
    if (insertedReflection) search.cached.push(followed);
  }
  programs.push(program);
}

/** Removes `<eos>` from the end of a program. */
function attemptOf(program: readonly number[]): readonly number[] {
  return program[program.length - 1] === END ? program.slice(0, -1) : program;
}

/**
 * Formats the announcement of a reflection. The text is empty if the reflection is unreadable or announces no change.
 */
function formatReflection(reflection: Reflection | undefined): string {
  return reflection && reflection.edits.length > 0 ? reflectionTokens(reflection).join() : '';
}

/** Computes the share of the visible tests that a program passes [0 to 1]. */
export function visibleShare(passed: Passed): number {
  const visible = passed.slice(0, VISIBLE_TESTS);
  return visible.filter(Boolean).length / visible.length;
}

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
