import type { EngineDevice } from '../../engine/engine.ts';
import type { PolicyState } from '../../engine/shared.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import type { OpenEnvironment } from '../../training/run/openEnvironment.ts';
import { Run } from '../../training/run/run.ts';
import { type DriveHooks, drive } from '../drive.ts';
import type { Strata } from '../evaluation/heldOut.ts';
import { expertIterations } from '../expertIteration/expertIterations.ts';
import {
  type Arm,
  createSharedPrefixArm,
  expertValues,
  isExpert,
  isSwitched,
  type Missing,
  type SwitchedArm,
} from './arms.ts';
import { COMPARED } from './comparedEnvironments.ts';
import {
  type ArmRun,
  type ComparisonPlan,
  type Findings,
  type Measured,
  missingRuns,
  type Provenance,
  runConfiguration,
  seriesOf,
  settingsOf,
} from './findings.ts';

/** Initial policy of the arms at a seed. */
export interface WarmStart {
  readonly state: PolicyState;
  /** Digest that distinguishes warm starts. */
  readonly digest: string;
}

export interface ComparisonHooks extends SharedPrefixHooks {
  /** Returns the initial policy of a seed. It is called once per seed, and only if a run of the seed is missing. */
  readonly start: (seed: number) => Promise<WarmStart>;
  /** Software and device, which are saved with each run. */
  readonly provenance?: Provenance;
  /** Called once per update, or per equal share of work in a run without updates. */
  readonly onUpdate?: () => void;
  /** Called after each run with the findings so far, which can then be saved. */
  readonly finished?: (findings: Findings) => void | Promise<void>;
}

/**
 * Trains the missing runs of all arms and seeds on one device, and measures each policy on held-out tasks. Switched
 * arms share the updates before the switch with other steps of the same switch. The shared updates are trained once.
 * @param before findings of an earlier attempt with the same plan; they are retained
 * @throws {Error} if the initial policy differs from the initial policy of the finished runs in the same world
 */
export async function runComparison(
  device: EngineDevice,
  before: Findings,
  arms: readonly Arm[],
  seeds: readonly number[],
  hooks: ComparisonHooks,
): Promise<Findings> {
  const { signal, provenance } = hooks;
  const metadata = provenance ? { provenance } : {};
  const { plan } = before;
  const compared = COMPARED[plan.environment];
  let findings = before;
  let started: { readonly seed: number; readonly start: WarmStart } | undefined;
  const strata = new Map<string, Strata | undefined>();
  const missing = missingRuns(before, arms, seeds);
  const prefixRuns = new SharedPrefixRuns(device, plan, missing, hooks);
  for (const { arm, seed } of missing) {
    if (signal?.aborted) break;
    if (started?.seed !== seed) started = { seed, start: await hooks.start(seed) };
    const { state, digest } = started.start;
    rejectMismatch(findings, seed, digest);
    const switched = isSwitched(arm) ? await prefixRuns.before(arm, seed, state) : undefined;
    if (signal?.aborted) break;
    hooks.started?.(arm, seed);
    const configuration = runConfiguration(plan, arm, seed);
    const run = await Run.create(device, configuration, undefined, hooks.open(configuration));
    try {
      run.beginWith(state);
      let { base } = findings;
      if (signal?.aborted) break;
      if (compared.strata && !strata.has(digest)) {
        strata.set(digest, await compared.strata(run.trainer, plan, signal));
        if (signal?.aborted) break;
      }
      const hard = strata.get(digest);
      if (!base.some((baseRun) => baseRun.digest === digest && (compared.baseOnce || baseRun.seed === seed))) {
        const measured = await compared.measureBase(run.trainer, plan, signal, hard);
        if (signal?.aborted) break;
        base = [...base, { seed, digest, measured }];
      }
      if (switched) run.resume(switched);
      const imitated = isExpert(arm) ? await imitate(run, state, arm, plan, hooks) : {};
      if (!isExpert(arm)) await drive(run, run.step + plan.steps, hooks);
      if (signal?.aborted) break;
      const measured = await compared.measure(run.trainer, plan, signal, hard);
      if (signal?.aborted) break;
      const measurements = { ...measured, ...imitated };
      const done: ArmRun = { arm, seed, digest, heldOut: measurements, series: seriesOf(run.metrics), ...metadata };
      findings = { ...findings, base, runs: [...findings.runs, done] };
    } finally {
      run.destroy();
    }
    await hooks.finished?.(findings);
  }
  return findings;
}

/**
 * Runs expert iteration instead of updates. The results of the generation are saved with the measurements, and there
 * are no curves.
 * @throws {RangeError} in a world with reflections, because no reflection announces the best program
 */
async function imitate(
  { trainer, configuration }: Run,
  state: PolicyState,
  arm: Arm,
  { steps }: ComparisonPlan,
  { onUpdate, signal }: ComparisonHooks,
): Promise<Measured> {
  if (configuration.settings.reflection === 'written') {
    throw new RangeError('expert iteration imitates programs, and no reflection announces the best one');
  }
  let reportedShare = 0;
  const hooks = {
    onShare: (share: number) => {
      for (; reportedShare < Math.floor(share * steps); reportedShare++) onUpdate?.();
    },
    ...(signal ? { signal } : {}),
  };
  const result = await expertIterations(trainer, state, expertValues(arm), hooks);
  return result ? { ...result } : {};
}

/** @throws {Error} if the finished runs of the seed's world have another initial policy */
function rejectMismatch({ plan, runs }: Findings, seed: number, digest: string): void {
  const { warmSeed } = settingsOf(plan, seed);
  const hasMismatch = runs.some(
    (run) => run.digest !== '' && run.digest !== digest && settingsOf(plan, run.seed).warmSeed === warmSeed,
  );
  if (!hasMismatch) return;
  const { freshWarmStart, worlds } = plan;
  const subject = freshWarmStart || worlds > 1 ? `the warm start of seed ${seed}` : 'the policy to start from';
  throw new Error(`${subject} is not the one that the finished runs began with`);
}

/** Functions that a comparison provides for its runs. */
export interface SharedPrefixHooks extends DriveHooks {
  /** Opens the environment of a run. The run closes it. */
  readonly open: (configuration: RunConfiguration) => Promise<OpenEnvironment>;
  readonly started?: (arm: Arm, seed: number) => void;
}

/**
 * Shared parts of runs before their switches. Each part is trained once and saved at each step at which a run switches.
 */
class SharedPrefixRuns {
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
