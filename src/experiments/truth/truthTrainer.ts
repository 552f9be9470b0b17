import type { Trainer } from '../../training/run/trainer.ts';

/** What of a trainer a measurement of the truth needs: it plays and differentiates, and learns nothing. */
export type TruthTrainer = Pick<
  Trainer,
  | 'environment'
  | 'controls'
  | 'seed'
  | 'roomFor'
  | 'play'
  | 'gradient'
  | 'tokenProbabilities'
  | 'workOut'
  | 'readableBy'
  | 'valuedBy'
>;
