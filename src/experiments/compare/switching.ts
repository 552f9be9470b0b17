import type { Gpu } from '../../gpu/device.ts';
import type { PolicyState } from '../../policy/policy.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { Run } from '../../training/run/run.ts';
import { drive } from '../drive.ts';
import type { ComparisonHooks } from './comparison.ts';
import { type Arm, type ComparisonPlan, runConfiguration, type Switch } from './findings.ts';

/** An arm that becomes another one on its way. */
export type SwitchedArm = Arm & { readonly switch: Switch };

/** A run that is still to be done. */
export interface Missing {
  readonly arm: Arm;
  readonly seed: number;
}

/** Every arm becoming every other, at each of the steps. */
export function switchedArms(arms: readonly Arm[], steps: readonly number[]): readonly SwitchedArm[] {
  return arms.flatMap((from) =>
    arms
      .filter((to) => to !== from)
      .flatMap((to) =>
        steps.map((step) => ({ ...from, name: `${directionName(from.name, to.name)}@${step}`, switch: { step, to } })),
      ),
  );
}

/** `mt-grpo>grpo-or` */
const directionName = (from: string, to: string) => `${from}>${to}`;

export function isSwitched(arm: Arm): arm is SwitchedArm {
  return arm.switch !== undefined;
}

/** The arm as it is before its switch. */
function trunkOf({ name, rule, changes, switch: { step, to } }: SwitchedArm): Arm {
  return { name: name.slice(0, -`>${to.name}@${step}`.length), rule, changes };
}

/** Updates that are still to be done. What several runs have in common before their switches is done once. */
export function updatesLeft({ steps }: Pick<ComparisonPlan, 'steps'>, missing: readonly Missing[]): number {
  const trunks = new Map<string, number>();
  for (const { arm, seed } of missing) {
    if (!isSwitched(arm)) continue;
    const key = `${trunkOf(arm).name} ${seed}`;
    trunks.set(key, Math.max(trunks.get(key) ?? 0, arm.switch.step));
  }
  return missing.length * steps + [...trunks.values()].reduce((sum, updates) => sum + updates, 0);
}

/** What runs have in common before their switches: trained once, kept at every step where one of them leaves it. */
export class Trunks {
  /** Of one seed and one arm at a time; by the step. */
  private kept: { readonly key: string; readonly at: ReadonlyMap<number, SavedRun> } = { key: '', at: new Map() };

  /** @param missing every run that will ask */
  constructor(
    private readonly gpu: Gpu,
    private readonly plan: ComparisonPlan,
    private readonly missing: readonly Missing[],
    private readonly hooks: ComparisonHooks,
  ) {}

  /**
   * The run as it stands before its switch; undefined where the signal came first.
   * @param start the policy that it begins with
   */
  async before(arm: SwitchedArm, seed: number, start: PolicyState): Promise<SavedRun | undefined> {
    const trunk = trunkOf(arm);
    const key = `${trunk.name} ${seed}`;
    if (this.kept.key !== key) {
      const own = this.missing.filter((one) => one.seed === seed && isSwitched(one.arm));
      const switched = own.map((one) => one.arm as SwitchedArm).filter((one) => trunkOf(one).name === trunk.name);
      this.kept = { key, at: await this.train(trunk, seed, start, new Set(switched.map((one) => one.switch.step))) };
    }
    return this.kept.at.get(arm.switch.step);
  }

  private async train(trunk: Arm, seed: number, start: PolicyState, steps: ReadonlySet<number>) {
    const { gpu, plan, hooks } = this;
    const kept = new Map<number, SavedRun>();
    hooks.started?.(trunk, seed);
    const configuration = runConfiguration(plan, trunk, seed);
    const run = await Run.create(gpu, configuration, undefined, hooks.open(configuration));
    try {
      run.beginWith(start);
      for (const step of [...steps].sort((a, b) => a - b)) {
        await drive(run, step, hooks);
        if (hooks.signal?.aborted) break;
        kept.set(step, await run.save());
      }
    } finally {
      run.destroy();
    }
    return kept;
  }
}
