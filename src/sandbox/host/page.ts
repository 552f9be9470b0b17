import { openFrame } from './frame.ts';
import { workerIn } from './framePlace.ts';
import type { WorkerSource } from './guestWorker.ts';
import { type OnLoad, siteParts } from './parts.ts';

/** Workers in separate iframes (openFrame), for a sandbox in the page. */
export function createPageSource(
  workers = Math.max(1, navigator.hardwareConcurrency - 1),
  onLoad?: OnLoad,
): WorkerSource {
  return { workers, open: async (events) => workerIn(openFrame(), events), parts: () => siteParts(onLoad) };
}
