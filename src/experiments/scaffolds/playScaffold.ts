import { type Passed, passesHidden } from '../../environments/repair/evaluation.ts';
import { type Asked, firstFailure, repairPrompt } from '../../environments/repair/feedback.ts';
import { type Kept, readTurn, reflectionKept } from '../../environments/repair/reflection.ts';
import type { RepairEnvironment } from '../../environments/repair/repairEnvironment.ts';
import { REFLECTION_LIMIT } from '../../environments/repair/repairSettings.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { VISIBLE_TESTS } from '../../environments/repair/testChoice.ts';
import { END, PROGRAM } from '../../environments/repair/vocabulary.ts';
import { defaults } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS, uniform } from '../../random/counter.ts';
import type { Start } from '../../training/collect/collectRequest.ts';
import { turnTokens } from '../../training/collect/turnTokens.ts';
import { drawKey, type HeldOutOptions, type Player, repairTasks } from '../compare/heldOutEvaluation.ts';
import { FRESH, type Scaffold, type Tried } from './scaffold.ts';

/** How a scaffold is played. */
export interface ScaffoldOptions extends Omit<HeldOutOptions, 'seed'> {
  /** Programs of each search at most. */
  readonly budget: number;
  /** Whether the reward model of the world scores programs, for the scaffold alone. */
  readonly verifier: boolean;
  /** Tells the draws of two scaffolds apart; from 1 to below 4, halves too. */
  readonly number: number;
  /** Refinements stand behind a reflection: the policy's own, or that of another search. */
  readonly reflections?: 'own' | 'shuffled';
}

/** A search for one task. */
export interface Search {
  readonly task: RepairTask;
  /** In the order in which they were sampled. */
  readonly tried: readonly Tried[];
  /** [tried] whether it passes all hidden tests. */
  readonly right: readonly boolean[];
  /** Of each program that stands behind a reflection: whether it does what that says. */
  readonly kept?: readonly Kept[];
}

/** A search while it goes on. */
interface Going extends Search {
  readonly tried: Tried[];
  readonly right: boolean[];
  readonly kept: Kept[];
  /** [tried] the programs, with `<eos>` where they have it. */
  readonly programs: (readonly number[])[];
}

/** A program that is about to be sampled. */
interface Wanted {
  readonly search: Going;
  readonly parent: number;
}

/** Keys of draws of one repetition that a scaffold has for itself; the first ones are those of attempt after attempt. */
const SCAFFOLD_KEYS = 0x4_0000;

/**
 * Searches every task `samples` times, all of them together: a tick samples what every unfinished search wants next, in full
 * batches. First programs are those of attempts with feedback (`playRepair`) for the same seed, run and budget, so every
 * scaffold begins with the same ones; later draws are a scaffold's own.
 * @returns one sample of all tasks after another; undefined where it was stopped
 * @throws {RewardModelError} with a verifier, where the world has no reward model
 */
export async function playScaffold(
  player: Player,
  scaffold: Scaffold,
  options: ScaffoldOptions,
): Promise<readonly Search[] | undefined> {
  const { samples, budget, run = 0, number, signal, progress } = options;
  const pool = repairTasks(player, options);
  const searches = Array.from({ length: samples }, () => pool)
    .flat()
    .map((task): Going => ({ task, tried: [], right: [], kept: [], programs: [] }));
  let later = number * SCAFFOLD_KEYS;
  for (let tick = 0; ; tick++) {
    const wanted = searches.flatMap((search, index): Wanted[] => {
      const { length } = search.tried;
      if (length === budget) return [];
      const draw = uniform(
        player.seed,
        0xd0000000 + drawKey(run, number * SCAFFOLD_KEYS + index),
        STREAMS.evaluation,
        length,
      );
      const next = scaffold.next(search.tried, draw).slice(0, budget - length);
      return next.map((parent) => ({ search, parent }));
    });
    const going = new Set(wanted.map(({ search }) => search)).size;
    if (tick > 0) progress?.(searches.length - going, searches.length);
    if (wanted.length === 0) return searches;
    // As many together as there are chains of attempts: so the first programs have the draws of theirs.
    const size = player.roomFor(tick === 0 ? budget : 1);
    for (let from = 0; from < wanted.length; from += size) {
      if (signal?.aborted) return undefined;
      const key = drawKey(run, tick === 0 ? from / size : later++);
      const batch = wanted.slice(from, from + size);
      const written = await sample(player, batch, key, options);
      const again = options.reflections === 'shuffled' && tick > 0;
      add(batch, again ? await sampleBehind(player, batch, written, drawKey(run, later++), options) : written);
    }
  }
}

/** A sampled program. */
interface Sampled {
  /** What stands before it, the policy's own or put there. */
  readonly reflection: readonly number[] | undefined;
  readonly program: readonly number[];
  readonly passed: Passed;
  readonly verified: number | undefined;
}

/** Adds programs to their searches. */
function add(wanted: readonly Wanted[], sampled: readonly Sampled[]): void {
  for (const [index, { search, parent }] of wanted.entries()) {
    const { reflection, program, passed, verified } = sampled[index];
    const { programs } = search;
    search.tried.push({
      ...{ parent, visible: visibleShare(passed), program: program.join() },
      ...(verified === undefined ? {} : { verified }),
    });
    search.right.push(passesHidden(passed));
    if (parent !== FRESH && reflection) {
      search.kept.push(reflectionKept(attemptOf(programs[parent]), reflection, attemptOf(program)));
    }
    programs.push(program);
  }
}

/** A batch of programs, each behind the reflection that the policy writes, where it is asked for one. */
async function sample(
  player: Player,
  wanted: readonly Wanted[],
  key: number,
  options: ScaffoldOptions,
): Promise<readonly Sampled[]> {
  const environment = player.environment as unknown as RepairEnvironment;
  const ask = options.reflections ? 'reflection' : 'program';
  const prompts = await Promise.all(wanted.map((one) => promptOf(environment, one, ask)));
  const turns = wanted.map(({ parent }) => (parent === FRESH ? 0 : 1));
  const sampled = await play(player, wanted, prompts, turns, key, options);
  // A turn that was asked for a reflection and has none says nothing.
  return ask === 'program' ? sampled : sampled.map((one) => ({ ...one, reflection: one.reflection ?? [] }));
}

/** The same programs anew, each behind the reflection of another search. */
async function sampleBehind(
  player: Player,
  wanted: readonly Wanted[],
  written: readonly Sampled[],
  key: number,
  options: ScaffoldOptions,
): Promise<readonly Sampled[]> {
  const environment = player.environment as unknown as RepairEnvironment;
  const order = new CounterRandom(player.seed, STREAMS.evaluation, 0xd0000000 + key).permutation(wanted.length);
  const others: (readonly number[])[] = [];
  for (const [at, index] of order.entries()) {
    // There is as much room as a reflection may take that can be read.
    others[index] = (written[order[(at + 1) % order.length]].reflection ?? []).slice(0, REFLECTION_LIMIT - 1);
  }
  const prompts = await Promise.all(
    wanted.map(async (one, index) => [...(await promptOf(environment, one, 'reflection')), ...others[index], PROGRAM]),
  );
  // The program alone is left to write: as many tokens as in a first turn.
  const sampled = await play(
    player,
    wanted,
    prompts,
    wanted.map(() => 0),
    key,
    options,
  );
  return sampled.map((one, index) => ({ ...one, reflection: others[index] }));
}

/** Samples a turn behind each of these prompts. @param turns [wanted] which of an episode it is, from 0 */
async function play(
  player: Player,
  wanted: readonly Wanted[],
  prompts: readonly (readonly number[])[],
  turns: readonly number[],
  key: number,
  { sampling, verifier }: ScaffoldOptions,
): Promise<readonly Sampled[]> {
  const environment = player.environment as unknown as RepairEnvironment;
  const usual = defaults(environment.controls);
  const controls = verifier ? { ...usual, outcomeReward: 'model' } : usual;
  const single = { mode: 'evaluate', maxTurns: 1 } as const;
  const tasks = wanted.map(({ search }) => search.task);
  const starts = tasks.map(
    (task, index): Start => ({
      ...{ task, tokens: prompts[index], turn: turns[index] },
      episode: environment.begin(task, controls, single),
    }),
  );
  const { groups, rollouts } = await player.play(tasks, key, { sampling, controls, play: single, starts });
  return rollouts.map((rollout, index) => {
    const { reflection, program } = readTurn(turnTokens(rollout, 0).written);
    const [{ passed }] = groups[index].turns;
    const { modelReward } = rollout.turns[0].facts;
    return { reflection, program, passed: passed as Passed, verified: verifier ? modelReward : undefined };
  });
}

/** The task's own prompt, or that of the turn after a program. */
async function promptOf(environment: RepairEnvironment, { search, parent }: Wanted, ask: Asked) {
  const { task, programs } = search;
  return parent === FRESH ? task.prompt : refined(environment, task, programs[parent], ask);
}

/** A program without `<eos>`. */
function attemptOf(program: readonly number[]): readonly number[] {
  return program[program.length - 1] === END ? program.slice(0, -1) : program;
}

/** The prompt of the turn after a program, with the first visible test that it fails. */
async function refined({ runner }: RepairEnvironment, task: RepairTask, program: readonly number[], ask: Asked) {
  const judgement = await runner.judge(task, program);
  const shown = firstFailure(judgement, VISIBLE_TESTS);
  if (shown === undefined)
    throw new RangeError('a program that passes all visible tests has no feedback to go on from');
  return repairPrompt(task, judgement, shown, ask);
}

/** Share of the visible tests that a program passes. */
export function visibleShare(passed: Passed): number {
  const visible = passed.slice(0, VISIBLE_TESTS);
  return visible.filter(Boolean).length / visible.length;
}
