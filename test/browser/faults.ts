import type { Page } from 'playwright-core';
import { TRAINING_SCRIPT } from './siteServer.ts';

/** Faults that tests cause in the training worker of a page; the product has no code for them. */
export type Fault = 'lose-device' | 'non-finite' | 'throw';

/** Causes the given fault; if `isWaiting`, as soon as its target exists. Returns true if something was broken. */
type Break = (fault: Fault, isWaiting: boolean) => Promise<boolean>;

/**
 * Goes before the text of the training worker: remembers the newest device and its rotation table, and provides a
 * function that breaks the worker. A poisoned rotation table makes every activation, the loss and the gradient NaN.
 */
export const BREAKABLE = `(() => {
  let device, rotation, works, waiting = [];
  const began = () => {
    works = true;
    for (const go of waiting.splice(0)) go();
  };
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (...input) => {
    began();
    return instantiate(...input);
  };
  if (typeof GPUDevice !== 'undefined') {
    const create = GPUDevice.prototype.createBuffer;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      const buffer = create.call(this, descriptor);
      device = this;
      if (descriptor.label === 'rotation') rotation = buffer;
      began();
      return buffer;
    };
  }
  const faults = {
    'lose-device': () => device && (device.destroy(), true),
    'non-finite': () => rotation && (device.queue.writeBuffer(rotation, 0, Float32Array.of(NaN)), true),
    // Not before the worker runs: an error while its script is loading has no receiver.
    throw: () => works && (setTimeout(() => { throw new Error('a test made the worker throw'); }), true),
  };
  globalThis.breakIt = async (fault, patient) => {
    while (!faults[fault]()) {
      if (!patient) return false;
      await new Promise((go) => waiting.push(go));
    }
    return true;
  };
  globalThis.onBreakReady?.(globalThis.breakIt);
})();
`;

/**
 * Breaks something in the training worker of a page whose script begins with BREAKABLE.
 * @param isWaiting waits for the worker, and for the target of the fault
 * @returns true if something was broken; always true if `isWaiting`
 */
export async function breakTraining(page: Page, fault: Fault, isWaiting = true): Promise<boolean> {
  const trains = (worker: { url(): string }) => TRAINING_SCRIPT.test(worker.url());
  const there = page.workers().findLast(trains);
  if (!there && !isWaiting) return false;
  const worker = there ?? (await page.waitForEvent('worker', { predicate: trains }));
  return worker.evaluate(
    async ([kind, waiting]) => {
      const shared = globalThis as { breakIt?: Break; onBreakReady?: (callback: Break) => void };
      // The script of the worker may not have run yet.
      const breakWorker = shared.breakIt ?? (await new Promise<Break>((resolve) => (shared.onBreakReady = resolve)));
      return breakWorker(kind, waiting);
    },
    [fault, isWaiting] as const,
  );
}
