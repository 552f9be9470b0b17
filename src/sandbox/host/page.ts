import { openFrame } from './frame.ts';
import { workerIn } from './frameHost.ts';
import { type OnLoad, siteParts } from './parts.ts';
import type { WorkerSource } from './sandboxWorker.ts';

/** Creates a source of workers in separate iframes (openFrame), for a sandbox in the page. */
export function createPageSource(
  workers = Math.max(1, navigator.hardwareConcurrency - 1),
  onLoad?: OnLoad,
): WorkerSource {
  return { workers, open: async (events) => workerIn(openFrame(), events), parts: () => siteParts(onLoad) };
}
