/** Number of steps that determine the pace; older steps may have been slower or faster. */
const WINDOW = 40;
/** With less to go by, an estimate would jump about. */
const FEWEST = 4;
const SHORTEST_MS = 1500;

/** Estimates the remaining time of a task with a known number of steps, from the pace of the last steps. */
export class Pace {
  private recentSteps: { readonly left: number; readonly at: number }[] = [];

  /**
   * A step is done.
   * @param left steps that are left
   * @param at milliseconds of some clock
   */
  note(left: number, at: number): void {
    const last = this.recentSteps.at(-1);
    if (last?.left === left) return;
    // More is left than before: something else has begun.
    const retained = last && last.left < left ? [] : this.recentSteps;
    this.recentSteps = [...retained, { left, at }].slice(-WINDOW);
  }

  /** Seconds until nothing is left; undefined while too little was seen. */
  get secondsLeft(): number | undefined {
    const [first] = this.recentSteps;
    const last = this.recentSteps.at(-1);
    if (!first || !last || this.recentSteps.length < FEWEST || last.at - first.at < SHORTEST_MS) return undefined;
    return ((last.at - first.at) / (first.left - last.left)) * last.left * 1e-3;
  }
}
