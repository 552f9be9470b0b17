import type { RunModel } from '../session/runModel.ts';
import { strings } from '../strings/strings.ts';

/** What a screen reader is told by itself: pauses and events, never single steps. @param ended a recording is at its end */
export function announcement({ status, step, happened }: RunModel, ended = false): string {
  const event = happened.at(-1);
  const recent = event && step - event.step < 5 ? `${strings.status.step(String(event.step))}: ${event.text}` : '';
  if (status === 'playing') return recent || strings.status.announcePlaying;
  if (status === 'paused' && ended) return strings.recording.announceEnded(step);
  if (status === 'paused') return strings.status.announcePaused(step);
  return strings.status[status];
}
