import type { Arm, ComparisonPlan, Switch } from './findings.ts';

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
export function trunkOf({ name, rule, changes, switch: { step, to } }: SwitchedArm): Arm {
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
