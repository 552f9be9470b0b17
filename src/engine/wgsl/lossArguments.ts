import type { LossBuffers, LossExtent } from '../../objective/objective.ts';
import type { Minibatch } from '../../policy/batch.ts';
import type { Workspace } from '../../policy/workspace.ts';

/** Returns the targets of a packed minibatch, over which a loss runs. */
export function lossExtent({ targetBase, countIndex, targets }: Minibatch): LossExtent {
  return { targetBase, countIndex: countIndex + 1, limit: targets };
}

/** Returns the buffers of a workspace that a loss reads and writes. */
export function lossBuffers({ batch, distribution, recorded, lossGradient, terms }: Workspace): LossBuffers {
  return { ...batch, distribution, recorded, lossGradient, terms };
}
