import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Lesson } from '../../lessons/lesson.ts';
import type { RunResult } from '../../lessons/results/courseResult.ts';
import type { Again } from '../../lessons/results/grade.ts';
import { recordedAgain } from '../../lessons/results/reruns.ts';
import { type RecordedRun, readRecording } from '../../storage/recordingFile.ts';

const RECORDINGS = join(import.meta.dirname, '../../../public/recordings');

/** The recording that the page plays for a run; undefined where there is none here. */
export function recordingAgain(lesson: Lesson, run: RunResult): Again | undefined {
  const own = lesson.runs.find(({ name }) => name === run.name);
  const recorded = own && recordingOf(own.recording);
  return recorded && recordedAgain(lesson, run, recorded.metrics);
}

function recordingOf(name: string): RecordedRun | undefined {
  try {
    return readRecording(gunzipSync(readFileSync(join(RECORDINGS, `${name}.recording`))).toString())[0];
  } catch {
    return undefined;
  }
}
