import type { Metrics } from '../../metrics/metricTable.ts';
import type { Lesson } from '../lesson.ts';
import type { CourseResult, RunResult } from './courseResult.ts';
import { curvesOf } from './digest.ts';
import { type Again, differsFromLesson } from './grade.ts';

const keyOf = ({ configuration, steps }: RunResult) => JSON.stringify([configuration, steps]);

/** The runs of files that are to be trained again, each once, however many files have it. */
export function runsToTrain(
  lessons: readonly Lesson[],
  results: readonly CourseResult[],
): ReadonlyMap<string, RunResult> {
  const wanted = new Map<string, RunResult>();
  for (const { lesson: name, attempts } of results.flatMap((result) => result.lessons)) {
    const lesson = lessons.find((one) => one.name === name);
    if (!lesson) continue;
    for (const run of attempts.flatMap(({ source, runs }) => (source === 'trained' ? runs : []))) {
      if (differsFromLesson(lesson, run).length === 0) wanted.set(keyOf(run), run);
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
export class Reruns {
  private readonly known = new Map<string, TrainedAgain>();

  constructor(private readonly train: (lesson: Lesson, run: RunResult) => Promise<TrainedAgain>) {}

  /** Whether a run was trained before. */
  knows(run: RunResult): boolean {
    return this.known.has(keyOf(run));
  }

  async again(lesson: Lesson, run: RunResult): Promise<Again> {
    const key = keyOf(run);
    const { metrics, device } = this.known.get(key) ?? (await this.train(lesson, run));
    this.known.set(key, { metrics, device });
    return { curves: curvesOf(metrics, lesson.lines, run.steps), device };
  }
}

/** A recording, as a run of a file that played it is held against it. */
export function recordedAgain({ lines }: Lesson, { steps }: RunResult, metrics: readonly Metrics[]): Again {
  return { curves: curvesOf(metrics, lines, steps), device: undefined };
}
