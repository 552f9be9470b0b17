import type { RunConfiguration } from '../../training/data/configuration.ts';
import { MAX_SCHEDULE } from '../address/urlParts.ts';
import type { Answers } from '../look/answers.ts';
import { strings } from '../strings/strings.ts';

/** Copies the address of a run to the clipboard and reports the result in `answers`. @param query query of the run */
export async function copyLink(query: string, run: RunConfiguration, answers: Answers): Promise<void> {
  const { href } = new URL(query, location.href);
  try {
    await navigator.clipboard.writeText(href);
    const changes = run.schedule.length;
    const message = changes > MAX_SCHEDULE ? strings.share.copiedLong(changes, MAX_SCHEDULE) : strings.share.copied;
    answers.done('share', message);
  } catch {
    answers.failed('share', strings.share.copyFailed);
  }
}
