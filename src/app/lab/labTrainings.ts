import type { Claim, Experiment } from '../../environments/claim.ts';
import { claimRuns } from '../../experiments/claims/claimRuns.ts';
import { ClaimTraining } from './claimTraining.ts';
import { LabLanes } from './labLanes.ts';

/** Trainings of this page by claim and experiment: who comes back to a claim finds them as they are. */
export class LabTrainings {
  private readonly known = new Map<string, ClaimTraining>();

  constructor(readonly lanes: LabLanes = new LabLanes()) {}

  of(claim: Claim, experiment: Experiment): ClaimTraining | undefined {
    return this.known.get(keyOf(claim, experiment));
  }

  /** Trains these seeds of all arms. What else trains in the Lab stops, and can go on later: lanes are few. */
  start(claim: Claim, experiment: Experiment, seeds: readonly number[]): void {
    const training = new ClaimTraining(this.lanes, claimRuns(experiment, seeds));
    this.of(claim, experiment)?.stop();
    this.known.set(keyOf(claim, experiment), training);
    this.goOn(training);
  }

  goOn(training: ClaimTraining): void {
    for (const other of this.known.values()) if (other !== training && other.running) other.stop();
    void training.train();
  }
}

const keyOf = ({ id }: Claim, { name }: Experiment) => `${id} ${name}`;

export const labTrainings = new LabTrainings();
