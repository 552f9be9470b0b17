import type { EngineDevice } from '../../engine/engine.ts';
import type { PolicyState } from '../../engine/shared.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import type { OpenEnvironment } from '../../training/run/openEnvironment.ts';
import { Run } from '../../training/run/run.ts';
import { type DriveHooks, drive } from '../drive.ts';
import { type Arm, type ComparisonPlan, runConfiguration } from './findings.ts';
import { createSharedPrefixArm, isSwitched, type Missing, type SwitchedArm } from './switching.ts';

/** Functions that a comparison provides for its runs. */
export interface SharedPrefixHooks extends DriveHooks {
  /** Opens the environment of a run. The run closes it. */
  readonly open: (configuration: RunConfiguration) => Promise<OpenEnvironment>;
  readonly started?: (arm: Arm, seed: number) => void;
}

/**
 * Shared parts of runs before their switches. Each part is trained once and saved at each step at which a run switches.
 */
export class SharedPrefixRuns {
  /** Saved runs of the last seed and arm, by step. */
  private prefixRuns: { readonly key: string; readonly at: ReadonlyMap<number, SavedRun> } = { key: '', at: new Map() };

  /** @param missing all runs whose state before the switch will be requested */
  constructor(
    private readonly device: EngineDevice,
    private readonly plan: ComparisonPlan,
    private readonly missing: readonly Missing[],
    private readonly hooks: SharedPrefixHooks,
  ) {}

  /**
   * Returns the state of a run before its switch; undefined if the signal was aborted first.
   * @param start initial policy of the run
   */
  async before(arm: SwitchedArm, seed: number, start: PolicyState): Promise<SavedRun | undefined> {
    const prefix = createSharedPrefixArm(arm);
    const key = `${prefix.name} ${seed}`;
    if (this.prefixRuns.key !== key) {
      const seedRuns = this.missing.filter((run) => run.seed === seed && isSwitched(run.arm));
      const switched = seedRuns
        .map((run) => run.arm as SwitchedArm)
        .filter((run) => createSharedPrefixArm(run).name === prefix.name);
      this.prefixRuns = {
        key,
        at: await this.train(prefix, seed, start, new Set(switched.map((run) => run.switch.step))),
      };
    }
    return this.prefixRuns.at.get(arm.switch.step);
  }

  private async train(prefix: Arm, seed: number, start: PolicyState, steps: ReadonlySet<number>) {
    const { device, plan, hooks } = this;
    const prefixRuns = new Map<number, SavedRun>();
    hooks.started?.(prefix, seed);
    const configuration = runConfiguration(plan, prefix, seed);
    const run = await Run.create(device, configuration, undefined, hooks.open(configuration));
    try {
      run.beginWith(start);
      for (const step of [...steps].sort((a, b) => a - b)) {
        await drive(run, step, hooks);
        if (hooks.signal?.aborted) break;
        prefixRuns.set(step, await run.save());
      }
    } finally {
      run.destroy();
    }
    return prefixRuns;
  }
}
