import type { Arm, ComparisonPlan, Switch } from './findings.ts';

/** An arm that becomes another one on its way. */
export type SwitchedArm = Arm & { readonly switch: Switch };

/** A run that is still to be done. */
export interface Missing {
  readonly arm: Arm;
  readonly seed: number;
}

/**
 * Every arm becoming every other, at each of the steps.
 * @param habit updates that a run begins with as the first arm, to which all others come back then; 0 for none
 */
export function switchedArms(arms: readonly Arm[], steps: readonly number[], habit = 0): readonly SwitchedArm[] {
  return arms.flatMap((from) =>
    arms
      .filter((to) => to !== from && (habit === 0 || to === arms[0]))
      .flatMap((to) => steps.map((step) => switched(from, to, step, habit))),
  );
}

function switched(from: Arm, to: Arm, step: number, habit: number): SwitchedArm {
  const change = habit > 0 ? { step: habit + step, to, habit } : { step, to };
  return { ...from, name: `${from.name}${suffixOf(change)}`, switch: change };
}

/** `>grpo-or@40`; `>mt-grpo@60 after 40` where it began as that one. */
function suffixOf({ step, to, habit = 0 }: Switch): string {
  return `>${to.name}@${step - habit}${habit > 0 ? ` after ${habit}` : ''}`;
}

/** The name of an arm as it is before its switch. */
export function beforeName({ name, switch: change }: SwitchedArm): string {
  return name.slice(0, -suffixOf(change).length);
}

/** Updates that an arm is itself before it becomes another one. */
export function updatesBefore({ switch: { step, habit = 0 } }: SwitchedArm): number {
  return step - habit;
}

export function isSwitched(arm: Arm): arm is SwitchedArm {
  return arm.switch !== undefined;
}

/** The arm as it is before its switch. */
export function createSharedPrefixArm(arm: SwitchedArm): Arm {
  const { rule, changes, switch: change } = arm;
  const itself = { name: beforeName(arm), rule, changes };
  // With a habit it became itself on its way.
  return change.habit ? switched(change.to, itself, change.habit, 0) : itself;
}

/**
 * Returns the number of updates that are still to be done. Updates that several runs share before their switches are
 * done once.
 */
export function updatesLeft({ steps }: Pick<ComparisonPlan, 'steps'>, missing: readonly Missing[]): number {
  const prefixRuns = new Map<string, number>();
  for (const { arm, seed } of missing) {
    if (!isSwitched(arm)) continue;
    const key = `${createSharedPrefixArm(arm).name} ${seed}`;
    prefixRuns.set(key, Math.max(prefixRuns.get(key) ?? 0, arm.switch.step));
  }
  return missing.length * steps + [...prefixRuns.values()].reduce((sum, updates) => sum + updates, 0);
}
