import { type Passed, passesHidden } from '../../environments/repair/evaluation.ts';
import { firstFailure, repairPrompt } from '../../environments/repair/feedback.ts';
import type { RepairEnvironment } from '../../environments/repair/repairEnvironment.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { VISIBLE_TESTS } from '../../environments/repair/testChoice.ts';
import { defaults } from '../../parameters/parameters.ts';
import { STREAMS, uniform } from '../../random/counter.ts';
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
  /** Tells the draws of two scaffolds apart; from 1 to 3. */
  readonly number: number;
}

/** A search for one task. */
export interface Search {
  readonly task: RepairTask;
  /** In the order in which they were sampled. */
  readonly tried: readonly Tried[];
  /** [tried] whether it passes all hidden tests. */
  readonly right: readonly boolean[];
}

/** A search while it goes on. */
interface Going extends Search {
  readonly tried: Tried[];
  readonly right: boolean[];
  /** [tried] what the policy wrote. */
  readonly written: (readonly number[])[];
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
    .map((task): Going => ({ task, tried: [], right: [], written: [] }));
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
      await sample(player, wanted.slice(from, from + size), key, options);
    }
  }
}

/** Samples a batch of programs, and adds each to its search. */
async function sample(player: Player, wanted: readonly Wanted[], key: number, options: ScaffoldOptions) {
  const { sampling, verifier } = options;
  const environment = player.environment as unknown as RepairEnvironment;
  const usual = defaults(environment.controls);
  const controls = verifier ? { ...usual, outcomeReward: 'model' } : usual;
  const play = { mode: 'evaluate', maxTurns: 1 } as const;
  const starts = await Promise.all(
    wanted.map(async ({ search, parent }): Promise<Start> => {
      const { task, written } = search;
      const tokens = parent === FRESH ? task.prompt : await refined(environment, task, written[parent]);
      return { task, episode: environment.begin(task, controls, play), tokens, turn: 0 };
    }),
  );
  const tasks = wanted.map(({ search }) => search.task);
  const { groups, rollouts } = await player.play(tasks, key, { sampling, controls, play, starts });
  for (const [index, { search, parent }] of wanted.entries()) {
    const [{ passed: results }] = groups[index].turns;
    const passed = results as Passed;
    const { written } = turnTokens(rollouts[index], 0);
    const { modelReward } = rollouts[index].turns[0].facts;
    search.tried.push({
      parent,
      visible: visibleShare(passed),
      ...(verifier ? { verified: modelReward } : {}),
      program: written.join(),
    });
    search.right.push(passesHidden(passed));
    search.written.push(written);
  }
}

/** The prompt of the turn after a program, with the first visible test that it fails. */
async function refined({ runner }: RepairEnvironment, task: RepairTask, written: readonly number[]) {
  const judgement = await runner.judge(task, written);
  const shown = firstFailure(judgement, VISIBLE_TESTS);
  if (shown === undefined)
    throw new RangeError('a program that passes all visible tests has no feedback to go on from');
  return repairPrompt(task, judgement, shown);
}

/** Share of the visible tests that a program passes. */
export function visibleShare(passed: Passed): number {
  const visible = passed.slice(0, VISIBLE_TESTS);
  return visible.filter(Boolean).length / visible.length;
}
