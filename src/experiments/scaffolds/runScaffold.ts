import { type Passed, passesHidden } from '../../environments/repair/evaluation.ts';
import {
  matchReflection,
  type Reflection,
  type ReflectionMatch,
  readReflection,
  reflectionTokens,
} from '../../environments/repair/reflection.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { VISIBLE_TESTS } from '../../environments/repair/testChoice.ts';
import { END } from '../../environments/repair/vocabulary.ts';
import { STREAMS, uniform } from '../../random/counter.ts';
import { drawKey, type EpisodeSampler, type HeldOutOptions, repairTasks } from '../compare/heldOutEvaluation.ts';
import { type Experience, experienceOf, retrieveReflection } from './bank.ts';
import { type ProgramRequest, type Sampled, samplePrograms, sampleShuffled } from './samplePrograms.ts';
import { type AttemptedProgram, FRESH, type Scaffold } from './scaffold.ts';

/** Settings for running a scaffold. */
export interface ScaffoldOptions extends Omit<HeldOutOptions, 'seed'> {
  /** Programs of each search at most. */
  readonly budget: number;
  /** True if the reward model of the world scores programs, for the scaffold alone. */
  readonly verifier: boolean;
  /**
   * Number at which its draws begin, from 1 to below 4; halves are allowed. Scaffolds that share the number have the
   * same draws as long as they request the same programs.
   */
  readonly number: number;
  /**
   * Source of the reflections that refinements follow: the policy itself, or another search. `cached`: the policy's
   * own reflections with the first half of the budget; with the rest, reflections of similar tasks that were solved by
   * then.
   */
  readonly reflections?: 'own' | 'shuffled' | 'cached';
}

/** A search for one task. */
export interface Search {
  readonly task: RepairTask;
  /** In the order in which they were sampled. */
  readonly attempts: readonly AttemptedProgram[];
  /** [tried] whether it passes all hidden tests. */
  readonly right: readonly boolean[];
  /**
   * Agreement with the reflection, for each program that follows one: does the program do what the reflection
   * announces?
   */
  readonly followed?: readonly ReflectionMatch[];
  /** The same of those behind a reflection that was remembered from another task. */
  readonly cached?: readonly ReflectionMatch[];
}

/** Search that is still in progress. */
interface ActiveSearch extends Search {
  readonly attempts: AttemptedProgram[];
  readonly right: boolean[];
  readonly followed: ReflectionMatch[];
  readonly cached: ReflectionMatch[];
  /** [tried] the programs, with `<eos>` where they have it. */
  readonly programs: (readonly number[])[];
}

/** A program that is about to be sampled for a search. */
interface Next extends ProgramRequest {
  readonly search: ActiveSearch;
  /** Index of the program that it refines, or FRESH. */
  readonly parent: number;
}

/** Keys of draws of one repetition that a scaffold has for itself; the first ones are those of attempt after attempt. */
const SCAFFOLD_KEYS = 0x4_0000;

/**
 * Searches every task `samples` times, all of them together: a tick samples what every unfinished search wants next, in full
 * batches. First programs are those of attempts with feedback (`runRepairEpisode`) for the same seed, run and budget, so every
 * scaffold begins with the same ones; later draws are a scaffold's own.
 * @returns one sample of all tasks after another; undefined where it was stopped
 * @throws {RewardModelError} with a verifier, where the world has no reward model
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
  // [samples] what was remembered of each, in the second of two passes.
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
    // As many together as there are chains of attempts: so the first programs have the draws of theirs.
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

/** Programs to sample, refinements behind what the bank has for them, as long as that is new to the program. */
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

/** Adds a program to its search. */
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

/** A program without `<eos>`. */
function attemptOf(program: readonly number[]): readonly number[] {
  return program[program.length - 1] === END ? program.slice(0, -1) : program;
}

/** Returns the announcement of a reflection; an empty text if the reflection cannot be read or announces nothing. */
function formatReflection(reflection: Reflection | undefined): string {
  return reflection && reflection.edits.length > 0 ? reflectionTokens(reflection).join() : '';
}

/** Share of the visible tests that a program passes. */
export function visibleShare(passed: Passed): number {
  const visible = passed.slice(0, VISIBLE_TESTS);
  return visible.filter(Boolean).length / visible.length;
}
