import type { RunModel } from '../session/runModel.ts';
import { strings } from '../strings/strings.ts';

/**
 * Returns the text of the live region of the page. It reports the status of a run and its recent events, not single
 * updates.
 */
export function announcement({ status, step, appliedEvents }: RunModel): string {
  const event = appliedEvents.at(-1);
  const recent = event && step - event.step < 5 ? `${strings.status.step(String(event.step))}: ${event.text}` : '';
  if (status === 'playing') return recent || strings.status.announceTraining;
  if (status === 'paused') return strings.status.announcePaused(step);
  return strings.status[status];
}
