import { ruleTitle } from '../address/pageTables.ts';
import type { Happening } from '../runs/appliedEvents.ts';
import type { RunModel } from '../session/runModel.ts';
import { laneStrings } from '../strings/laneStrings.ts';

/** Name of a run among other runs. */
export interface LaneName {
  /** From 1, in the displayed order. */
  readonly number: number;
  /** "MT-GRPO, from step 40 GRPO-OR, seed 2". */
  readonly title: string;
  /** "2 GRPO-OR": for the end of a line. */
  readonly short: string;
}

export type NamedRun = Pick<RunModel, 'configuration' | 'controls' | 'appliedEvents'>;

/** Returns names that distinguish the runs: by their rules, and by their seeds if the seeds differ. */
export function laneNames(runs: readonly NamedRun[]): readonly LaneName[] {
  const seeds = new Set(runs.map(({ configuration }) => configuration.seed));
  const rules = new Set(runs.map(({ controls }) => controls.rule));
  return runs.map(({ configuration, controls, appliedEvents }, index) => {
    const number = index + 1;
    const labels = [...describeRules(configuration.controls.rule, appliedEvents), ...describeChanges(appliedEvents)];
    if (seeds.size > 1) labels.push(laneStrings.seed(configuration.seed));
    const last = ruleTitle(String(controls.rule));
    const short = rules.size === 1 && seeds.size > 1 ? laneStrings.seed(configuration.seed) : last;
    return { number, title: labels.join(', '), short: `${number} ${short}` };
  });
}

function describeRules(first: unknown, appliedEvents: readonly Happening[]): string[] {
  const changes = appliedEvents.flatMap(({ step, changes }) =>
    changes.flatMap(({ name, to }) => (name === 'rule' ? [{ step, rule: ruleTitle(String(to)) }] : [])),
  );
  const initial = changes.findLast(({ step }) => step === 0)?.rule ?? ruleTitle(String(first));
  return [initial, ...changes.filter(({ step }) => step > 0).map(({ step, rule }) => laneStrings.from(step, rule))];
}

/** Returns the texts of the other changes. */
function describeChanges(appliedEvents: readonly Happening[]): string[] {
  return appliedEvents.flatMap(({ step, text, changes }) =>
    changes.length > 0 && changes.every(({ name }) => name !== 'rule') ? [laneStrings.from(step, text)] : [],
  );
}
