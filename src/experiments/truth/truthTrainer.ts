import type { MeasuringTrainer } from '../../training/worker/measuring.ts';

/** Part of a trainer that measures true advantages: it samples and computes gradients, and does not train. */
export type TruthTrainer = Omit<MeasuringTrainer, 'step'>;
