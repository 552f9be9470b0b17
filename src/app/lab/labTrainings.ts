import type { Claim, Experiment } from '../../environments/claim.ts';
import { type ClaimRun, claimRuns } from '../../experiments/claims/claimRuns.ts';
import { EXACT } from '../../training/data/configuration.ts';
import { ClaimTraining } from './claimTraining.ts';
import { LabLanes } from './labLanes.ts';

/** Trainings of this page by claim and experiment: who comes back to a claim finds them as they are. */
export class LabTrainings {
  private readonly all = new Map<string, ClaimTraining>();

  constructor(readonly lanes: LabLanes = new LabLanes()) {}

  of(claim: Claim, experiment: Experiment): ClaimTraining | undefined {
    return this.known(keyOf(claim, experiment));
  }

  /** Runs that were begun under a name. */
  known(key: string): ClaimTraining | undefined {
    return this.all.get(key);
  }

  /** Trains these seeds of all arms. */
  start(claim: Claim, experiment: Experiment, seeds: readonly number[]): void {
    this.begin(keyOf(claim, experiment), claimRuns(experiment, seeds));
  }

  /**
   * Trains runs under a name, on the exact engine: their curves are compared with those of other machines. Other training stops, and
   * can continue later.
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
