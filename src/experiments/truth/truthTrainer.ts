import type { MeasuringTrainer } from '../../training/worker/measuring.ts';

/** Part of a trainer that a measurement of true advantages needs: it samples and differentiates, and learns nothing. */
export type TruthTrainer = Omit<MeasuringTrainer, 'step'>;
