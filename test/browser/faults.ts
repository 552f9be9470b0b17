import type { Page } from 'playwright-core';

/** What can be done to the training worker of a page: the product knows nothing of it. */
export type Fault = 'lose-device' | 'non-finite' | 'throw';

/** The address of the training worker's script in the built page. */
export const TRAINING_SCRIPT = /\/assets\/training-[^/]*\.js$/;

/**
 * Goes before the text of the training worker: remembers the newest device and its rotation table, and defines a
 * function that breaks what it is told. A poisoned rotation table makes every activation, the loss and the gradient NaN.
 */
export const BREAKABLE = `(() => {
  let device, rotation;
  if (typeof GPUDevice !== 'undefined') {
    const create = GPUDevice.prototype.createBuffer;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      const buffer = create.call(this, descriptor);
      device = this;
      if (descriptor.label === 'rotation') rotation = buffer;
      return buffer;
    };
  }
  const faults = {
    'lose-device': () => device && (device.destroy(), true),
    'non-finite': () => rotation && (device.queue.writeBuffer(rotation, 0, Float32Array.of(NaN)), true),
    throw: () => setTimeout(() => { throw new Error('the worker was asked to throw'); }),
  };
  globalThis.breakTraining = (fault) => Boolean(faults[fault]());
})();
`;

/**
 * Breaks something in the training worker of a page whose script begins with BREAKABLE.
 * @returns whether there was something to break: not before the worker, or its device, is there
 */
export async function breakNow(page: Page, fault: Fault): Promise<boolean> {
  const worker = page.workers().findLast((one) => TRAINING_SCRIPT.test(one.url()));
  if (!worker) return false;
  return worker.evaluate((what) => {
    const { breakTraining } = globalThis as { breakTraining?: (fault: string) => boolean };
    return breakTraining?.(what) ?? false;
  }, fault);
}
