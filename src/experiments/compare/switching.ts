import type { Arm, ComparisonPlan, Switch } from './findings.ts';

/** Arm that switches to another arm during a run. */
export type SwitchedArm = Arm & { readonly switch: Switch };

/** Missing run. */
export interface Missing {
  readonly arm: Arm;
  readonly seed: number;
}

/**
 * Returns the arms that switch from each arm to each other arm at each step.
 * @param habit number of initial updates under the first arm; all switches then lead back to the first arm. 0 for none
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

/** Formats a switch: `>grpo-or@40`, or `>mt-grpo@60 after 40` if the run starts under the target arm. */
function suffixOf({ step, to, habit = 0 }: Switch): string {
  return `>${to.name}@${step - habit}${habit > 0 ? ` after ${habit}` : ''}`;
}

/** Returns the name of the arm before the switch. */
export function beforeName({ name, switch: change }: SwitchedArm): string {
  return name.slice(0, -suffixOf(change).length);
}

/** Returns the number of updates between the start of the arm and its switch. */
export function updatesBefore({ switch: { step, habit = 0 } }: SwitchedArm): number {
  return step - habit;
}

export function isSwitched(arm: Arm): arm is SwitchedArm {
  return arm.switch !== undefined;
}

/** Returns an arm that trains the part of the run before the switch. */
export function createSharedPrefixArm(arm: SwitchedArm): Arm {
  const { rule, changes, switch: change } = arm;
  const itself = { name: beforeName(arm), rule, changes };
  // With a habit, the part before the switch contains the switch from the target arm.
  return change.habit ? switched(change.to, itself, change.habit, 0) : itself;
}

/**
 * Returns the number of updates that the missing runs require. Updates that runs share before their switches count
 * once.
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
