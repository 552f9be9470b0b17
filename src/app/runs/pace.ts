/** Number of steps that determine the pace; older steps may have been slower or faster. */
const WINDOW = 40;
/** Minimum number of steps for an estimate; with fewer steps, the estimate is unstable. */
const FEWEST = 4;
/** Minimum time between the first and the last step for an estimate. */
const SHORTEST_MS = 1500;

/** Estimates the remaining time of a task with a known number of steps, from the pace of the last steps. */
export class Pace {
  private recentSteps: { readonly left: number; readonly at: number }[] = [];

  /**
   * Records a completed step.
   * @param left number of remaining steps
   * @param at time of the step [ms], on any clock
   */
  note(left: number, at: number): void {
    const last = this.recentSteps.at(-1);
    if (last?.left === left) return;
    // More remaining steps than before belong to a new task.
    const retained = last && last.left < left ? [] : this.recentSteps;
    this.recentSteps = [...retained, { left, at }].slice(-WINDOW);
  }

  /** Estimated remaining time [s]; undefined if there are too few recorded steps. */
  get secondsLeft(): number | undefined {
    const [first] = this.recentSteps;
    const last = this.recentSteps.at(-1);
    if (!first || !last || this.recentSteps.length < FEWEST || last.at - first.at < SHORTEST_MS) return undefined;
    return ((last.at - first.at) / (first.left - last.left)) * last.left * 1e-3;
  }
}
