import type { Page } from 'playwright-core';
import { TRAINING_SCRIPT } from './siteServer.ts';

/** Fault that a test causes in the training worker of a page. The product contains no code for faults. */
export type Fault = 'lose-device' | 'non-finite' | 'throw';

/** Function that causes a fault. If `isWaiting`, it waits for the target of the fault. Returns true if it succeeded. */
type Break = (fault: Fault, isWaiting: boolean) => Promise<boolean>;

/**
 * Script that is inserted before the training worker. It stores the newest device and its rotation table, and provides
 * a function that causes faults. NaN in the rotation table makes all activations, the loss and the gradient NaN.
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
 * Causes a fault in the training worker of a page. The script of the worker must begin with BREAKABLE.
 * @param isWaiting true to wait for the worker and for the target of the fault
 * @returns true if the fault was caused; always true if `isWaiting`
 */
export async function breakTraining(page: Page, fault: Fault, isWaiting = true): Promise<boolean> {
  const trains = (worker: { url(): string }) => TRAINING_SCRIPT.test(worker.url());
  const there = page.workers().findLast(trains);
  if (!there && !isWaiting) return false;
  const worker = there ?? (await page.waitForEvent('worker', { predicate: trains }));
  return worker.evaluate(
    async ([kind, waiting]) => {
      const shared = globalThis as { breakIt?: Break; onBreakReady?: (callback: Break) => void };
      // The script of the worker might not have run yet.
      const breakWorker = shared.breakIt ?? (await new Promise<Break>((resolve) => (shared.onBreakReady = resolve)));
      return breakWorker(kind, waiting);
    },
    [fault, isWaiting] as const,
  );
}
