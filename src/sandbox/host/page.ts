import { openFrame } from './frame.ts';
import type { GuestPlace } from './guestWorker.ts';
import { type OnLoad, siteParts } from './parts.ts';
import { PortWorker } from './portWorker.ts';

/** Workers in iframes of their own (openFrame), for a sandbox in the page. */
export function pagePlace(workers = Math.max(1, navigator.hardwareConcurrency - 1), onLoad?: OnLoad): GuestPlace {
  const open = () => {
    const { port, remove } = openFrame();
    return new PortWorker(Promise.resolve(port), remove);
  };
  return { workers, open, parts: () => siteParts(onLoad) };
}
