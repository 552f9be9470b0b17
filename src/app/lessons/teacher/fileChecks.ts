import type { ReactiveControllerHost } from 'lit';
import type { Lesson } from '../../../lessons/lesson.ts';
import type { RunResult } from '../../../lessons/results/courseResult.ts';
import type { Again, GradeLine, Unable } from '../../../lessons/results/grade.ts';
import { type Course, gradeResult } from '../../../lessons/results/gradeResult.ts';
import { Reruns, runsToTrain, type Trainable } from '../../../lessons/results/reruns.ts';
import type { SessionFactory } from '../../session/pageSession.ts';
import { openWorker } from '../../session/workerSession.ts';
import type { OpenedFile } from './openedFile.ts';
import { Stopped, trainAgain } from './trainAgain.ts';

/** How far the check of a file is. */
export interface Checking {
  readonly file: string;
  /** The run that is trained, from 1, and how many are; 0 of 0 where nothing is to be trained. */
  readonly run: number;
  readonly runs: number;
  /** Name of its lesson. */
  readonly lesson: string;
  /** Updates. */
  readonly step: number;
  readonly steps: number;
}

/**
 * Checks result files in the tab as `turnwise grade` does in the terminal: every run is trained again, once however many files
 * have it, and held against what its file says. One file at a time.
 */
export class FileChecks {
  /** The check that goes on. */
  going: Checking | undefined;
  /** What was found, by file. */
  readonly found = new Map<string, readonly GradeLine[]>();
  private ending = new AbortController();
  private readonly reruns: Reruns<Lesson>;

  constructor(
    private readonly host: Pick<ReactiveControllerHost, 'requestUpdate'>,
    private readonly open: SessionFactory = openWorker,
  ) {
    this.reruns = new Reruns<Lesson>((lesson, run) => this.train(lesson, run));
  }

  /** @param course with every lesson that the file is about */
  async check({ file, result }: OpenedFile, course: Course): Promise<void> {
    if (this.going) return;
    const ending = new AbortController();
    this.ending = ending;
    const wanted = [...runsToTrain(course.lessons, [result]).values()].filter((run) => !this.reruns.knows(run));
    this.tell({ file, runs: wanted.length, run: 0, lesson: '', step: 0, steps: 0 });
    try {
      const lines = await gradeResult(course, result, (lesson, run) => this.again(lesson, run));
      // A file that was closed meanwhile is not shown any more.
      if (ending === this.ending) this.found.set(file, lines);
    } finally {
      if (ending === this.ending) this.tell(undefined);
    }
  }

  /** What is not trained yet stays unchecked. */
  stop(): void {
    this.ending.abort();
  }

  /** Stops, and forgets what was found. */
  clear(): void {
    this.ending.abort();
    this.ending = new AbortController();
    this.found.clear();
    this.tell(undefined);
  }

  private async again(lesson: Lesson, run: RunResult): Promise<Again | Unable | undefined> {
    try {
      return await this.reruns.again(lesson, run);
    } catch (error) {
      if (error instanceof Stopped) return undefined;
      return { problem: (error as Error).message };
    }
  }

  private train({ title }: Lesson, { configuration, steps }: Trainable) {
    const { going, ending } = this;
    const tell = (step: number) => {
      if (going && ending === this.ending) this.tell({ ...going, run: going.run + 1, lesson: title, step, steps });
    };
    if (!ending.signal.aborted) tell(0);
    return trainAgain(configuration, steps, { told: tell, signal: ending.signal }, this.open);
  }

  private tell(going: Checking | undefined): void {
    this.going = going;
    this.host.requestUpdate();
  }
}
