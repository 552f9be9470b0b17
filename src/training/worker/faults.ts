import type { Gpu } from '../../gpu/device.ts';
import type { Run } from '../run/run.ts';

/** For tests: loses the device, or makes what the policy of a run computes no number. */
export function breakGpu(gpu: Gpu, kind: 'lose-device' | 'non-finite', run: Run | undefined): void {
  if (kind === 'lose-device') gpu.device.destroy();
  // A poisoned rotation table makes every activation, the loss and the gradient NaN.
  else if (run) gpu.device.queue.writeBuffer(run.trainer.policy.workspace.rotation, 0, Float32Array.of(NaN));
}
