import type { Waiting } from '../../../lessons/course/teacher.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';

/** How long a reader waits for an experiment, each device in a few words. */
export function waitingTexts(measured: readonly Waiting[]): readonly string[] {
  const { waiting, seconds } = teacherStrings;
  return measured.map(({ device, seconds: count, load }) => waiting(device, seconds(count), load));
}
