import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Gpu } from '../../gpu/device.ts';
import type { Lesson } from '../../lessons/lesson.ts';
import type { RunResult } from '../../lessons/results/courseResult.ts';
import { curvesOf } from '../../lessons/results/digest.ts';
import { type Again, differsFromLesson } from '../../lessons/results/grade.ts';
import { type RecordedRun, readRecording } from '../../storage/recordingFile.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { progressNote } from '../commands/train.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { trainedRun } from '../framework/trainedRun.ts';
import type { HandedIn } from './handedIn.ts';

const RECORDINGS = join(import.meta.dirname, '../../../public/recordings');

const keyOf = ({ configuration, steps }: RunResult) => JSON.stringify([configuration, steps]);

/** The runs of files that are to be trained again, each once, however many files have it. */
export function runsToTrain(lessons: readonly Lesson[], files: readonly HandedIn[]): ReadonlyMap<string, RunResult> {
  const wanted = new Map<string, RunResult>();
  for (const { lesson: name, attempts } of files.flatMap(({ result }) => result?.lessons ?? [])) {
    const lesson = lessons.find((one) => one.name === name);
    if (!lesson) continue;
    for (const run of attempts.flatMap(({ source, runs }) => (source === 'trained' ? runs : []))) {
      if (differsFromLesson(lesson, run).length === 0) wanted.set(keyOf(run), run);
    }
  }
  return wanted;
}

/** Trains runs again, when they are first asked for. */
export class Trained {
  private readonly known = new Map<string, readonly Metrics[]>();
  private readonly progress: Progress;

  /** @param wanted runs that will be asked for */
  constructor(
    private readonly gpu: Gpu,
    private readonly terminal: Terminal,
    wanted: ReadonlyMap<string, RunResult>,
  ) {
    const updates = [...wanted.values()].reduce((sum, { steps }) => sum + steps, 0);
    this.progress = new Progress(terminal, updates);
  }

  async again({ lines, name }: Lesson, run: RunResult): Promise<Again> {
    const key = keyOf(run);
    const metrics = this.known.get(key) ?? (await this.train(name, run));
    this.known.set(key, metrics);
    return { curves: curvesOf(metrics, lines, run.steps), device: this.gpu.name };
  }

  close(): void {
    this.progress.close();
  }

  private train(lesson: string, { configuration, steps }: RunResult): Promise<readonly Metrics[]> {
    return trainedRun(this.gpu, configuration, steps, this.terminal, (row) =>
      this.progress.advance(`${lesson}, seed ${configuration.seed}, update`, progressNote(row)),
    );
  }
}

/** The recording that the page plays for a run; undefined where there is none here. */
export function recordedAgain({ lines, runs }: Lesson, { name, steps }: RunResult): Again | undefined {
  const own = runs.find((run) => run.name === name);
  const recorded = own && recordingOf(own.recording);
  return recorded && { curves: curvesOf(recorded.metrics, lines, steps), device: undefined };
}

function recordingOf(name: string): RecordedRun | undefined {
  try {
    return readRecording(gunzipSync(readFileSync(join(RECORDINGS, `${name}.recording`))).toString())[0];
  } catch {
    return undefined;
  }
}
