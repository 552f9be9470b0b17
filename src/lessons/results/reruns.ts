import { ownName } from '../../credit/rules/own/ownSource.ts';
import type { Metrics } from '../../metrics/metricTable.ts';
import { EXACT } from '../../training/data/configuration.ts';
import type { Lesson } from '../lesson.ts';
import type { ChallengeResult } from './challengeFile.ts';
import type { CourseResult, RunResult } from './courseResult.ts';
import { curvesOf } from './digest.ts';
import { type Again, differsFromLesson } from './grade.ts';
import { raceRuns } from './race.ts';

/** What of a run it takes to train it. */
export type Trainable = Pick<RunResult, 'configuration' | 'steps'>;

/** What runs are for: a lesson, or the challenge. */
export type RunFor = Pick<Lesson, 'name' | 'lines'>;

/** Results are compared by bits, so a run is trained again on the exact engine, whatever its file names. */
function onExact({ configuration: { engine: _, ...configuration }, steps }: Trainable): Trainable {
  return { configuration: { ...configuration, engine: EXACT }, steps };
}

const keyOf = (run: Trainable) => JSON.stringify(onExact(run));

/** The runs of files that are to be trained again, each once, however many files have it. */
export function runsToTrain(
  lessons: readonly Lesson[],
  results: readonly CourseResult[],
  challenges: readonly ChallengeResult[] = [],
): ReadonlyMap<string, Trainable> {
  const wanted = new Map<string, Trainable>();
  for (const { lesson: name, attempts } of results.flatMap((result) => result.lessons)) {
    const lesson = lessons.find((one) => one.name === name);
    if (!lesson) continue;
    for (const run of attempts.flatMap(({ runs }) => runs)) {
      if (differsFromLesson(lesson, run).length === 0) wanted.set(keyOf(run), run);
    }
  }
  for (const { rule, race } of challenges) {
    for (const run of raceRuns(ownName(rule))) {
      if (race.some(({ name }) => name === run.name)) wanted.set(keyOf(run), run);
    }
  }
  return wanted;
}

/** A run that was trained again. */
export interface TrainedAgain {
  readonly metrics: readonly Metrics[];
  /** The name of the device. */
  readonly device: string;
}

/** Trains runs again, each once, when it is first asked for. */
export class Reruns<For extends RunFor = RunFor> {
  private readonly known = new Map<string, TrainedAgain>();

  constructor(private readonly train: (what: For, run: Trainable) => Promise<TrainedAgain>) {}

  /** Whether a run was trained before. */
  knows(run: Trainable): boolean {
    return this.known.has(keyOf(run));
  }

  async again(what: For, run: Trainable): Promise<Again> {
    const key = keyOf(run);
    const { metrics, device } = this.known.get(key) ?? (await this.train(what, onExact(run)));
    this.known.set(key, { metrics, device });
    return { curves: curvesOf(metrics, what.lines, run.steps), device };
  }
}
