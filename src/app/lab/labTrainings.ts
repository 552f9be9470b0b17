import type { Claim, Experiment } from '../../environments/claim.ts';
import { type ClaimRun, claimRuns } from '../../experiments/claims/claimRuns.ts';
import { EXACT } from '../../training/data/configuration.ts';
import { ClaimTraining } from './claimTraining.ts';
import { LabLanes } from './labLanes.ts';

/** Trainings of this page by claim and experiment. They continue while the user opens other claims. */
export class LabTrainings {
  private readonly all = new Map<string, ClaimTraining>();

  constructor(readonly lanes: LabLanes = new LabLanes()) {}

  of(claim: Claim, experiment: Experiment): ClaimTraining | undefined {
    return this.known(keyOf(claim, experiment));
  }

  /** Returns the training with a key, if there is one. */
  known(key: string): ClaimTraining | undefined {
    return this.all.get(key);
  }

  /** Trains all arms of an experiment with these seeds. */
  start(claim: Claim, experiment: Experiment, seeds: readonly number[]): void {
    this.begin(keyOf(claim, experiment), claimRuns(experiment, seeds));
  }

  /**
   * Trains runs under a key. The engine is exact, because the curves are compared with curves from other machines.
   * Other trainings stop and can continue later.
   */
  begin(key: string, runs: readonly ClaimRun[]): void {
    const exact = runs.map((run) => ({ ...run, configuration: { ...run.configuration, engine: EXACT } }));
    const training = new ClaimTraining(this.lanes, exact);
    this.known(key)?.stop();
    this.all.set(key, training);
    this.goOn(training);
  }

  goOn(training: ClaimTraining): void {
    for (const candidate of this.all.values()) if (candidate !== training && candidate.running) candidate.stop();
    void training.train();
  }
}

const keyOf = ({ id }: Claim, { name }: Experiment) => `${id} ${name}`;

export const labTrainings = new LabTrainings();
