import type { Lesson } from '../../lessons/lesson.ts';
import type { Attempt, RunResult } from '../../lessons/results/courseResult.ts';
import { curvesOf, digestOf } from '../../lessons/results/digest.ts';
import type { RunModel } from '../session/runModel.ts';
import type { LessonTraining } from './lessonTraining.ts';
import { isWhole, type Prediction } from './prediction.ts';

/** What is kept of an experiment that came to its end; undefined where nothing was predicted. */
export function attemptOf(
  lesson: Lesson,
  prediction: Prediction,
  { models }: Pick<LessonTraining, 'models'>,
): Attempt | undefined {
  if (!isWhole(prediction)) return undefined;
  const runs = lesson.runs.flatMap((run, index): RunResult[] => {
    const model = models[index];
    return model ? [{ name: run.name, steps: run.steps, ...came(model, lesson.lines, run.steps) }] : [];
  });
  return { prediction, runs, exercises: [] };
}

function came({ configuration, device, metrics }: RunModel, lines: readonly string[], steps: number) {
  const curves = curvesOf(metrics, lines, steps);
  return { configuration, device: device?.name ?? '', curves, digest: digestOf(curves) };
}
